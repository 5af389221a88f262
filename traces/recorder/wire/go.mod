module refsched/recorder/wire

go 1.24.0
