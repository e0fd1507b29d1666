// Reads a JSON array of Kubernetes objects from stdin and writes, in the same order, what kstatus computes of
// each: {"status": "...", "message": "..."}. Ends with 1 and one line on stderr if it cannot.
// https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type result struct {
	Status  status.Status `json:"status"`
	Message string        `json:"message"`
}

func main() {
	if err := computeAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kstatus:", err)
		os.Exit(1)
	}
}

func computeAll(in io.Reader, out io.Writer) error {
	var objects []json.RawMessage
	if err := json.NewDecoder(in).Decode(&objects); err != nil {
		return fmt.Errorf("read objects from stdin: %w", err)
	}
	results := make([]result, 0, len(objects))
	for index, text := range objects {
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("read object %d: %w", index, err)
		}
		computed, err := status.Compute(&object)
		if err != nil {
			return fmt.Errorf("compute object %d: %w", index, err)
		}
		results = append(results, result{computed.Status, computed.Message})
	}
	return json.NewEncoder(out).Encode(results)
}
