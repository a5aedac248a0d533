/** One tool of the Model Context Protocol: an operation under the names that the tool lists use. */
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { NamedOperation } from '../operations.ts';

export interface Tool {
  /** With its `market_` prefix. */
  readonly name: `market_${string}`;
  readonly operation: NamedOperation;
  /** As `tools/list` sends it. Schemas are JSON Schema 2020-12. */
  readonly definition: ToolDefinition;
  /** Throws `invalid_input` for arguments that the tool does not have. The values are checked by the operation. */
  toArguments(args: Readonly<Record<string, unknown>>): ToolCall;
  /** The answer of the operation as text and as structured content, with links to what was delivered. */
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
  /** The proof of a wallet that came among the arguments. */
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
