module scheduler

go 1.21
