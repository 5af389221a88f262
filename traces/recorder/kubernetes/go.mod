module refsched/recorder/kubernetes

go 1.24.0
