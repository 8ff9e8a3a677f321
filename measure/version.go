package measure

// Version is that of the program; it stands in manifests.
const Version = "0.1.0"
