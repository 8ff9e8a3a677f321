package explore

//go:generate go run ./build
