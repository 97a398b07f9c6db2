// Upstream's own end-to-end tests of the API machinery and of the workloads, as a program. The flags are those of
// upstream's e2e.test: --kubeconfig, --ginkgo.focus, --ginkgo.skip, --ginkgo.json-report and so on.
package main

import (
	"flag"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	conformance "k8s.io/kubernetes/test/conformance/testdata"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/feature"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
)

// outcome is what the runner tells a failed suite to.
type outcome struct{ code int }

func (o *outcome) Fail() { o.code = 1 }

func main() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	testfiles.AddFileSource(manifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(conformance.GetConformanceTestdataFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	var all outcome
	ginkgo.RunSpecs(&all, "upstream's tests", suite, reporter)
	os.Exit(all.code)
}
