package measure

// Version is that of the program, as in manifests.
const Version = "0.1.0"
