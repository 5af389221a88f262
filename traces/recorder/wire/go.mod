module refsched.dev/recorder/wire

go 1.24.0
