module example.com/worker-demo

go 1.19
