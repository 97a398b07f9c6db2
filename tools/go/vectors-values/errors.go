package main

import (
	"encoding/json"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func errorVectors() []section {
	return []section{{"fields", fieldErrors()}, {"statuses", statusErrors()}, {"responses", responses()}}
}

var badValues = []any{"x", "", "quo\"te\\ \t\n\x01\x7f", "héllo ✓ \u200b\U0001F600\u00ad", "<a&b>", int64(5), 0, -1, true, 1.5, nil, []string{"a", "<b>"}, []string{}, map[string]string{"b": "1", "a": "2"}, map[string]any{"n": nil}}

func fieldErrors() []row {
	root := field.NewPath("spec")
	var rows []row
	add := func(maker string, args []any, err *field.Error) {
		rows = append(rows, row{maker, args, err.Field, string(err.Type), err.ErrorBody(), err.Error()})
	}
	p := root.Child("containers").Index(2).Child("ports").Key("a.b/c").Child("x", "y")
	for _, v := range badValues {
		add("invalid", []any{v, "some detail"}, field.Invalid(p, v, "some detail"))
		add("duplicate", []any{v}, field.Duplicate(p, v))
		add("notFound", []any{v}, field.NotFound(p, v))
		add("typeInvalid", []any{v, ""}, field.TypeInvalid(p, v, ""))
		add("notSupported", []any{v, []string{"A", "b\"c"}}, field.NotSupported(p, v, []string{"A", "b\"c"}))
		add("notSupported", []any{v, []string{}}, field.NotSupported(p, v, []string{}))
	}
	add("required", []any{""}, field.Required(p, ""))
	add("required", []any{"must be there"}, field.Required(p, "must be there"))
	add("forbidden", []any{"no"}, field.Forbidden(p, "no"))
	add("internalError", []any{"boom"}, field.InternalError(p, errors.New("boom")))
	for _, n := range []int{-1, 0, 1, 2, 63} {
		add("tooLong", []any{n}, field.TooLong(p, "", n))
		add("tooLongCharacters", []any{n}, field.TooLongCharacters(p, "", n))
		add("tooShort", []any{n}, field.TooShort(p, "", n))
		add("tooMany", []any{5, n}, field.TooMany(p, 5, n))
		add("tooMany", []any{-1, n}, field.TooMany(p, -1, n))
		add("tooFew", []any{0, n}, field.TooFew(p, 0, n))
	}
	return rows
}

func statusJSON(err *apierrors.StatusError) any {
	data, e := json.Marshal(err.Status())
	if e != nil {
		panic(e)
	}
	var v any
	if e := json.Unmarshal(data, &v); e != nil {
		panic(e)
	}
	return v
}

func statusErrors() []row {
	var rows []row
	add := func(maker string, args []any, err *apierrors.StatusError) {
		seconds, delay := apierrors.SuggestsClientDelay(err)
		var suggested any
		if delay {
			suggested = seconds
		}
		rows = append(rows, row{maker, args, statusJSON(err), suggested})
	}
	for _, gr := range []schema.GroupResource{{Resource: "pods"}, {Group: "apps", Resource: "deployments"}, {}} {
		r := map[string]string{"group": gr.Group, "resource": gr.Resource}
		for _, name := range []string{"web", "", "we\"b"} {
			add("newNotFound", []any{r, name}, apierrors.NewNotFound(gr, name))
			add("newAlreadyExists", []any{r, name}, apierrors.NewAlreadyExists(gr, name))
			add("newGenerateNameConflict", []any{r, name, 1}, apierrors.NewGenerateNameConflict(gr, name, 1))
			add("newForbidden", []any{r, name, "why"}, apierrors.NewForbidden(gr, name, errors.New("why")))
			add("newConflict", []any{r, name, "why"}, apierrors.NewConflict(gr, name, errors.New("why")))
		}
		add("newMethodNotSupported", []any{r, "patch"}, apierrors.NewMethodNotSupported(gr, "patch"))
		add("newServerTimeout", []any{r, "get", 2}, apierrors.NewServerTimeout(gr, "get", 2))
		add("newServerTimeout", []any{r, "get", 0}, apierrors.NewServerTimeout(gr, "get", 0))
	}
	add("newUnauthorized", []any{""}, apierrors.NewUnauthorized(""))
	add("newUnauthorized", []any{"who?"}, apierrors.NewUnauthorized("who?"))
	add("newApplyConflict", []any{[]any{}, "m"}, apierrors.NewApplyConflict(nil, "m"))
	add("newGone", []any{"m"}, apierrors.NewGone("m"))
	add("newExpired", []any{"m"}, apierrors.NewResourceExpired("m"))
	add("newBadRequest", []any{"m"}, apierrors.NewBadRequest("m"))
	add("newTooManyRequests", []any{"m", 3}, apierrors.NewTooManyRequests("m", 3))
	add("newTooManyRequests", []any{"m", 0}, apierrors.NewTooManyRequests("m", 0))
	add("newTooManyRequestsError", []any{"m"}, apierrors.NewTooManyRequestsError("m"))
	add("newServiceUnavailable", []any{"m"}, apierrors.NewServiceUnavailable("m"))
	add("newInternalError", []any{"boom"}, apierrors.NewInternalError(errors.New("boom")))
	add("newTimeout", []any{"m", 4}, apierrors.NewTimeoutError("m", 4))
	add("newTimeout", []any{"m", 0}, apierrors.NewTimeoutError("m", 0))
	add("newRequestEntityTooLarge", []any{"m"}, apierrors.NewRequestEntityTooLargeError("m"))
	invalid := func(gk schema.GroupKind, name string, errs field.ErrorList) {
		var list []any
		for _, e := range errs {
			list = append(list, map[string]any{"type": e.Type, "field": e.Field, "badValue": e.BadValue, "detail": e.Detail})
		}
		if list == nil {
			list = []any{}
		}
		add("newInvalid", []any{map[string]string{"group": gk.Group, "kind": gk.Kind}, name, list}, apierrors.NewInvalid(gk, name, errs))
	}
	one := field.Invalid(field.NewPath("spec", "a"), "x", "bad")
	two := field.NotFound(field.NewPath("spec").Index(1), 7)
	invalid(schema.GroupKind{Kind: "Pod"}, "p", nil)
	invalid(schema.GroupKind{Kind: "Pod"}, "p", field.ErrorList{one})
	invalid(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "", field.ErrorList{one, two})
	invalid(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "d", field.ErrorList{one, two, one})
	invalid(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "d", field.ErrorList{one, one})
	return rows
}

func responses() []row {
	var rows []row
	for _, code := range []int{200, 302, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 418, 422, 429, 500, 502, 503, 504, 511} {
		for _, verb := range []string{http.MethodPost, http.MethodGet} {
			for _, message := range []string{"", "unknown", "said \"so\""} {
				err := apierrors.NewGenericServerResponse(code, verb, schema.GroupResource{Group: "apps", Resource: "deployments"}, "web", message, 0, false)
				rows = append(rows, row{map[string]any{"code": code, "verb": verb, "resource": map[string]string{"group": "apps", "resource": "deployments"}, "name": "web", "serverMessage": message}, statusJSON(err)})
			}
		}
	}
	err := apierrors.NewGenericServerResponse(503, "GET", schema.GroupResource{}, "", "x", 7, true)
	rows = append(rows, row{map[string]any{"code": 503, "verb": "GET", "serverMessage": "x", "retryAfterSeconds": 7, "isUnexpected": true}, statusJSON(err)})
	err = apierrors.NewGenericServerResponse(404, "GET", schema.GroupResource{Resource: "pods"}, "", "", 0, true)
	rows = append(rows, row{map[string]any{"code": 404, "verb": "GET", "resource": map[string]string{"group": "", "resource": "pods"}, "isUnexpected": true}, statusJSON(err)})
	return rows
}
