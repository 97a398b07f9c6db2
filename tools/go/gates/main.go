// Prints the feature gates that the kube-controller-manager registers: their stages by version,
// their dependencies, and the lines of its help.
package main

import (
	"encoding/json"
	"os"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

type stage struct {
	Version                 string `json:"version"`
	Default                 bool   `json:"default"`
	PreRelease              string `json:"preRelease"`
	LockToDefault           bool   `json:"lockToDefault"`
	MinCompatibilityVersion string `json:"minCompatibilityVersion"`
}

func main() {
	// The command registers the gates that its packages do not register on import.
	_ = app.NewControllerManagerCommand()
	gate := utilfeature.DefaultMutableFeatureGate
	gates := map[featuregate.Feature][]stage{}
	for name, specs := range gate.GetAllVersioned() {
		for _, spec := range specs {
			out := stage{Version: spec.Version.String(), Default: spec.Default, PreRelease: string(spec.PreRelease), LockToDefault: spec.LockToDefault}
			if spec.MinCompatibilityVersion != nil {
				out.MinCompatibilityVersion = spec.MinCompatibilityVersion.String()
			}
			gates[name] = append(gates[name], out)
		}
	}
	utilruntime.Must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"gates":        gates,
		"dependencies": gate.Dependencies(),
		"help":         gate.KnownFeatures(),
	}))
}
