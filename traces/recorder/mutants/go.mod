module refsched.dev/recorder/mutants

go 1.24.0
