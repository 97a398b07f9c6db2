// API errors and field errors, compared with upstream's texts (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import * as field from "#api/field-error.ts";
import { goJson, goQuote } from "#api/go-text.ts";
import { newGenericServerResponse, type ServerResponse } from "#api/server-response.ts";
import * as errors from "#api/status-error.ts";
import file from "#test/vectors/values-errors.json" with { type: "json" };
import { differences } from "./vector-outcome.ts";

type Row = readonly unknown[];
const vectors = file as unknown as Readonly<Record<string, readonly Row[]>>;
const { fields = [], statuses = [], responses = [] } = vectors;
type Maker<T> = (...args: readonly unknown[]) => T;

/** Upstream's constructors leave the type to the encoder. */
function statusOf(error: errors.ApiError): unknown {
  const { kind, apiVersion, ...rest } = error.status;
  expect([kind, apiVersion]).toEqual(["Status", "v1"]);
  return rest;
}

describe("field errors", () => {
  it("print as upstream's", () => {
    const path = field.newPath("spec").child("containers").index(2).child("ports").key("a.b/c").child("x", "y");
    const makers = field as unknown as Record<string, Maker<field.FieldError>>;
    const ours = ([maker, args]: Row): unknown => {
      const error = makers[maker as string]?.(path, ...(args as unknown[])) as field.FieldError;
      return [error.field, error.type, field.errorBody(error), field.errorText(error)];
    };
    expect(fields.length).toBeGreaterThan(100);
    expect(differences(fields, (row) => row.slice(2), ours)).toEqual([]);
  });

  it("name paths from a missing root", () => {
    expect(field.errorText(field.required(undefined, ""))).toBe("<nil>: Required value");
    expect(field.childOf(undefined, "key").child("x").toString()).toBe("key.x");
    expect(field.prefixDetail([field.forbidden(undefined, "b")], "a")[0]?.detail).toBe("ab");
  });

  it("quote as Go does", () => {
    expect(goQuote('a"b\\c\n\u0007\u{e0001}\ud800')).toBe('"a\\"b\\\\c\\n\\a\\U000e0001\ufffd"');
    expect(goJson({ a: "<&>\u2028", b: undefined })).toBe('{"a":"\\u003c\\u0026\\u003e\\u2028"}');
  });
});

describe("API errors", () => {
  it("carry upstream's statuses", () => {
    const makers = errors as unknown as Record<string, Maker<errors.ApiError>>;
    const make = ([maker, args]: Row): errors.ApiError =>
      makers[maker as string]?.(...(args as unknown[])) as errors.ApiError;
    expect(
      differences(
        statuses,
        (row) => row[2],
        (row) => statusOf(make(row)),
      ),
    ).toEqual([]);
    expect(
      differences(
        statuses,
        (row) => row[3],
        (row) => errors.suggestsClientDelay(make(row)) ?? null,
      ),
    ).toEqual([]);
  });

  it("are made from answers without a status", () => {
    const ours = ([response]: Row): unknown => statusOf(newGenericServerResponse(response as ServerResponse));
    expect(differences(responses, (row) => row[1], ours)).toEqual([]);
  });

  it("are recognised by reason, and by code when the reason is unknown", () => {
    const bare = (code: number, reason = ""): errors.ApiError => new errors.ApiError({ code, reason });
    expect(errors.isNotFound(bare(404))).toBe(true);
    expect(errors.isNotFound(bare(404, "Mystery"))).toBe(true);
    expect(errors.isNotFound(bare(404, "Conflict"))).toBe(false);
    expect(errors.isConflict(bare(409, "AlreadyExists"))).toBe(false);
    expect(errors.isAlreadyExists(bare(409))).toBe(false);
    expect(errors.isTooManyRequests(bare(429, "Timeout"))).toBe(true);
    expect(errors.isRequestEntityTooLarge(bare(413, "BadRequest"))).toBe(true);
    expect(errors.isGone(errors.newExpired("x"))).toBe(false);
    expect(errors.isNotFound(new Error("wrapped", { cause: bare(404) }))).toBe(true);
    expect(errors.isNotFound(new Error("404"))).toBe(false);
  });

  it("distinguish errors by their cause alone", () => {
    expect(errors.isResourceVersionTooLarge(errors.newResourceVersionTooLarge("5", "3", 1))).toBe(true);
    expect(errors.isResourceVersionTooLarge(errors.newTimeout("x", 1))).toBe(false);
    const causes = [{ reason: "NamespaceTerminating", message: "m", field: "metadata.namespace" }];
    expect(errors.isNamespaceTerminating(new errors.ApiError({ code: 403, details: { causes } }))).toBe(true);
    expect(errors.newNotAcceptable(["application/json"]).message).toContain("application/json");
    expect(errors.isUnsupportedMediaType(errors.newUnsupportedMediaType(["a/b", "c/d"]))).toBe(true);
  });
});
