import { expect, it } from "vitest";
import { AggregateOperationError, aggregate } from "./aggregate-error.ts";

const [a, b, again] = [new Error("a"), new Error("b"), new Error("a")];

it.each([
  { errors: [], result: undefined },
  { errors: [a], result: a },
])("none or one stays what it is", ({ errors, result }) => {
  expect(aggregate(errors)).toBe(result as Error);
});

it.each([
  { errors: [a, b], message: "[a, b]" },
  { errors: [a, b, again], message: "[a, b]" },
  { errors: [a, again], message: "a" },
])("several become $message", ({ errors, message }) => {
  const error = aggregate(errors) as AggregateOperationError;
  expect(error).toBeInstanceOf(AggregateOperationError);
  expect([error.message, error.errors]).toEqual([message, errors]);
});
