/** One tool of the Model Context Protocol: an operation with the tool's names. */
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { NamedOperation } from '../operations.ts';

export interface Tool {
  /** Name including the `market_` prefix. */
  readonly name: `market_${string}`;
  readonly operation: NamedOperation;
  /** As `tools/list` sends it. Schemas are JSON Schema 2020-12. */
  readonly definition: ToolDefinition;
  /** Throws `invalid_input` for unknown arguments. The operation validates the values. */
  toArguments(args: Readonly<Record<string, unknown>>): ToolCall;
  /** The answer of the operation as text and as structured content, with links to delivered files. */
  toResult(answer: Readonly<Record<string, unknown>>): ToolResult;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolAnnotations;
}

export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolCall {
  /** Arguments of the operation, in one flat object. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /** The wallet proof from the arguments. */
  readonly signature?: WalletProofArguments;
}

export interface WalletProofArguments {
  readonly wallet?: unknown;
  readonly wallet_sig?: unknown;
  readonly wallet_sig_ts?: unknown;
  readonly wallet_chain?: unknown;
}

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly description?: string };

export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
