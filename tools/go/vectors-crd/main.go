// Writes test vectors of custom resources: what upstream prunes, defaults, refuses and evaluates.
// Usage: vectors-crd functions | vectors-crd <out directory>
package main

import (
	"fmt"
	"os"
)

func main() {
	if os.Args[1] == "functions" {
		for _, l := range functionLines() {
			fmt.Println(l)
		}
		return
	}
}
