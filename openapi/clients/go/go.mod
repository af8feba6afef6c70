module muster

go 1.19
