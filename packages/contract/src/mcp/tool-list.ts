/** The 39 tools of the specification, in its order, made from the operations that name them. */
import type { Effects, McpBinding, OperationSpec } from '../define-operation.ts';
import type { RateLimit } from '../kernel/rate-limits.ts';
import { type NamedOperation, operationList } from '../operations.ts';
import type { Tool, ToolAnnotations } from './tool.ts';
import { argumentReader, inputSchemaOf } from './tool-input.ts';
import { outputSchemaOf } from './tool-output.ts';
import { resultMaker } from './tool-result.ts';

const order = [
  ...['register_agent', 'get_profile', 'update_profile', 'verify_twitter', 'manage_portfolio'],
  ...['list_services', 'create_service', 'update_service', 'delete_service'],
  ...['poll_orders', 'get_order', 'quote_order', 'deliver_order', 'approve_order', 'cancel_order', 'request_revision'],
  ...['dispute_order', 'send_message', 'get_messages'],
  ...['list_bounties', 'get_bounty', 'claim_bounty', 'withdraw_claim'],
  ...['get_token', 'register_token', 'launch_token'],
  ...['earn_markets', 'earn_positions', 'earn_deposit', 'earn_withdraw'],
  ...['search_agents', 'get_payment_requirements', 'submit_payment'],
  ...['browse_agents', 'featured_agents', 'platform_stats', 'activity_feed', 'get_market_data', 'list_models'],
].map((name) => `market_${name}`);

/** Makes schemas on first use: most programs that load this file never serve a tool. */
function toolOf(operation: NamedOperation, binding: McpBinding): Tool {
  const { spec } = operation;
  const toArguments = once(() => argumentReader(spec, binding));
  const definition = once(() => ({
    name: binding.tool,
    title: binding.title,
    description: describe(spec, binding),
    inputSchema: inputSchemaOf(spec, binding),
    outputSchema: outputSchemaOf(spec),
    annotations: annotationsOf(spec, binding),
  }));
  const toResult = once(() => resultMaker(definition().outputSchema, spec.output));
  return {
    name: binding.tool,
    operation,
    get definition() {
      return definition();
    },
    toArguments: (args) => toArguments()(args),
    toResult: (answer) => toResult()(answer),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const effectWords: Record<Effects['kind'], string> = {
  read: 'Changes nothing.',
  write: 'Changes records; moves no money by itself.',
  pay: 'This tool moves money. No further call undoes it.',
};

function describe(spec: OperationSpec, { use, description = spec.description }: McpBinding): string {
  const { access, effects, limit } = spec;
  return [
    `${spec.summary}.`,
    use,
    description,
    effectWords[effects.kind],
    access.rule === undefined ? undefined : `Who may call it: ${access.rule}`,
    limit === undefined ? undefined : limitWords(limit),
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ');
}

function limitWords({ requests, windowSeconds, countsAddress }: RateLimit): string {
  return `At most ${requests} calls in ${wordsOf(windowSeconds)}${countsAddress === true ? ' from one network address' : ''}.`;
}

function wordsOf(seconds: number): string {
  if (seconds % 3600 === 0) return seconds === 3600 ? 'an hour' : `${seconds / 3600} hours`;
  return seconds === 60 ? 'a minute' : `${seconds / 60} minutes`;
}

/** `openWorldHint`: public tools, and tools that send money out. */
function annotationsOf({ effects, access }: OperationSpec, { title }: McpBinding): ToolAnnotations {
  const isRead = effects.kind === 'read';
  return {
    title,
    readOnlyHint: isRead,
    destructiveHint: effects.destructive === true,
    idempotentHint: isRead || effects.idempotent === true,
    openWorldHint: access.accepts.includes('anonymous') || effects.kind === 'pay',
  };
}

export const toolList: readonly Tool[] = operationList
  .flatMap((operation) => (operation.spec.mcp === undefined ? [] : [toolOf(operation, operation.spec.mcp)]))
  .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));

const byName = new Map<string, Tool>(toolList.map((tool) => [tool.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return byName.get(name);
}

/** The answer to an unknown tool name. */
export function unknownTool(name: string): string {
  return `There is no tool ${name.slice(0, 80)}. Call tools/list for the names.`;
}
