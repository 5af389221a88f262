module refsched/recorder/mutants

go 1.24.0
