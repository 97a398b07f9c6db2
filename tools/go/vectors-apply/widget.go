package main

const widgetSchema = `{"type":"object","properties":{
"spec":{"type":"object","properties":{
 "size":{"type":"integer"},
 "name":{"type":"string"},
 "enabled":{"type":"boolean"},
 "ratio":{"type":"number"},
 "when":{"type":"string","format":"date-time"},
 "port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
 "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
 "numbers":{"type":"array","items":{"type":"integer"},"x-kubernetes-list-type":"set"},
 "args":{"type":"array","items":{"type":"string"}},
 "loose":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"string"},"d":{"type":"integer"}}}}},
 "tight":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
 "labels":{"type":"object","additionalProperties":{"type":"string"}},
 "sealed":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
 "nested":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"array","items":{"type":"integer"}}}}},
 "doors":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"},"locks":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}},
 "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["number","protocol"],"items":{"type":"object","properties":{"number":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"label":{"type":"string"}}}},
 "any":{"x-kubernetes-preserve-unknown-fields":true},
 "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"string"},"part":{"type":"object","properties":{"p":{"type":"string"}}}}}
}},
"status":{"type":"object","properties":{"phase":{"type":"string"},"conditions":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"],"items":{"type":"object","properties":{"type":{"type":"string"},"status":{"type":"string"}}}}}}
}}`

// The same fields with other rules of ownership.
const widgetChangedSchema = `{"type":"object","properties":{
"spec":{"type":"object","properties":{
 "size":{"type":"integer"},
 "name":{"type":"string"},
 "enabled":{"type":"boolean"},
 "ratio":{"type":"number"},
 "when":{"type":"string","format":"date-time"},
 "port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
 "tags":{"type":"array","items":{"type":"string"}},
 "numbers":{"type":"array","items":{"type":"integer"},"x-kubernetes-list-type":"set"},
 "args":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
 "loose":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"string"},"d":{"type":"integer"}}}}},
 "tight":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
 "labels":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
 "sealed":{"type":"object","additionalProperties":{"type":"string"}},
 "nested":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"x":{"type":"string"},"y":{"type":"array","items":{"type":"integer"}}}}},
 "doors":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"},"locks":{"type":"array","items":{"type":"string"}}}}},
 "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["number","protocol"],"items":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"number":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"label":{"type":"string"}}}},
 "any":{"x-kubernetes-preserve-unknown-fields":true},
 "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"string"},"part":{"type":"object","properties":{"p":{"type":"string"}}}}}
}},
"status":{"type":"object","properties":{"phase":{"type":"string"},"conditions":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"],"items":{"type":"object","properties":{"type":{"type":"string"},"status":{"type":"string"}}}}}}
}}`
