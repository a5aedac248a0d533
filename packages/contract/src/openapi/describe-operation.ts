/** Describes one operation as plain data. The docs, the reference page and the CLI help render the result. */
import type { RateLimit } from '../kernel/rate-limits.ts';
import type { NamedOperation } from '../operations.ts';
import { describeAccess } from './credentials.ts';
import { type AnswerField, describeAnswer, describeFile, describeInput, type FieldReference } from './describe-fields.ts';
import { curlOf, exampleAnswer } from './examples.ts';
import { errorsOf, type OperationErrors } from './operation-errors.ts';

export interface OperationReference {
  readonly name: string;
  /** `agents.updateMe` → `agents-update-me`; stable, because links point at it. */
  readonly anchor: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly selector: { readonly field: string; readonly value: string } | undefined;
  readonly status: number;
  readonly access: string;
  readonly limit: string | undefined;
  readonly fields: readonly FieldReference[];
  readonly answer: readonly AnswerField[];
  readonly errors: OperationErrors;
  readonly examples: readonly { readonly title: string; readonly curl: string; readonly answer: string }[];
  readonly mcpTool: string | undefined;
  readonly sandboxOnly: boolean;
}

export function describeOperation({ name, spec }: NamedOperation, baseUrl: string): OperationReference {
  return {
    name,
    anchor: name.replace('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    summary: spec.summary,
    description: spec.description,
    method: spec.rest.method,
    path: spec.rest.path,
    selector: spec.rest.selector,
    status: spec.rest.status ?? 200,
    access: describeAccess(spec),
    limit: spec.limit === undefined ? undefined : describeLimit(spec.limit),
    fields: [...describeInput(spec.input), ...describeFile(spec.rest)],
    answer: describeAnswer(spec.output),
    errors: errorsOf(spec),
    examples: spec.examples.map((example) => ({
      title: example.title,
      curl: curlOf(spec, example, baseUrl),
      answer: JSON.stringify(exampleAnswer(spec, example), undefined, 2),
    })),
    mcpTool: spec.mcp?.tool,
    sandboxOnly: spec.sandboxOnly === true,
  };
}

/** `5 requests per hour` */
export function describeLimit(limit: RateLimit): string {
  return `${limit.requests} requests per ${describeWindow(limit.windowSeconds)}`;
}

function describeWindow(seconds: number): string {
  const [unit, size] = seconds % 3600 === 0 ? (['hour', 3600] as const) : (['minute', 60] as const);
  const count = seconds / size;
  return count === 1 ? unit : `${count} ${unit}s`;
}
