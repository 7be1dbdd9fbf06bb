module svc.dev/worker-demo

go 1.19
