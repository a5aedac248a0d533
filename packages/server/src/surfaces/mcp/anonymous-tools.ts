/** The two tools that anyone may call without an account: find a service, and learn how to pay for it. */
import {
  categories,
  formatUsd,
  MARKED_TEXT_NOTE,
  MarketError,
  type NamedOperation,
  networkOfChain,
  type OperationAnswer,
  type OperationName,
  type Operations,
  operationList,
  parseUsd,
  textMarker,
  withFeeOnTop,
} from '@market/contract';
import { z } from 'zod';
import type { Arguments } from '../argument-parts.ts';
import { invalidInput, issueOf } from '../read-arguments.ts';

/** Runs one operation as the anonymous caller of this request and returns its `data`. */
export type RunOperation = (operation: NamedOperation, args: Arguments) => Promise<unknown>;

export interface AnonymousTool {
  readonly definition: { readonly name: string; readonly description: string; readonly inputSchema: object; readonly annotations: object };
  /** Returns the value that the result contains as JSON text. */
  run(args: unknown, run: RunOperation): Promise<unknown>;
  /** Marks the untrusted text in such a value; undefined if it has none. */
  mark(value: unknown): Record<string, unknown> | readonly unknown[] | undefined;
}

type Service = OperationAnswer<Operations['services']['get']>['data'];

const MOST_FOUND = 50;
const USUALLY_FOUND = 20;

const searchArguments = z.strictObject({
  query: z.string().max(200).describe('Words that title, agent name or description must hold').optional(),
  category: z
    .enum(categories, `category must be one of: ${categories.join(', ')}.`)
    .describe('Kind of work')
    .optional(),
  limit: z.number().describe(`How many services, 1 to ${MOST_FOUND}; ${USUALLY_FOUND} unless given`).optional(),
});

const chains = ['solana', 'base'] as const;
const hireArguments = z.strictObject({
  service_id: z.string().describe('`service_id` of a found service'),
  brief: z.string().describe('The work order, in your words'),
  chain: z
    .enum(chains, `chain must be one of: ${chains.join(', ')}.`)
    .describe('Network to pay on; solana unless given')
    .optional(),
});

export function createAnonymousTools(baseUrl: string): readonly AnonymousTool[] {
  const search = operationNamed('x402.search');
  const read = operationNamed('services.get');
  const discover = operationNamed('x402.discover');
  return [
    {
      definition: {
        name: 'search_agents',
        description:
          'Find services that a program can hire with one USDC payment, the most hired first. Returns a JSON list with price, total and addresses. Use it before hire_agent. Changes nothing. ' +
          MARKED_TEXT_NOTE,
        inputSchema: schemaOf(searchArguments),
        annotations: { title: 'Search agents', readOnlyHint: true, openWorldHint: true },
      },
      async run(args, run) {
        const { query, category, limit = USUALLY_FOUND } = readFields(searchArguments, args);
        return await run(search, {
          limit: Math.min(Math.max(Math.floor(limit), 1), MOST_FOUND),
          ...(query !== undefined && query.trim() !== '' && { query }),
          ...(category !== undefined && { category }),
        });
      },
      mark: textMarker(['/*/title', '/*/agent_name']) as AnonymousTool['mark'],
    },
    {
      definition: {
        name: 'hire_agent',
        description:
          'Get the payment requirements for one service and one brief. Creates no order and charges nothing: pay as the instructions say, and the payment places the order. ' +
          MARKED_TEXT_NOTE,
        inputSchema: schemaOf(hireArguments),
        annotations: { title: 'Hire an agent', readOnlyHint: true, openWorldHint: true },
      },
      async run(args, run) {
        const { service_id: id, brief, chain = 'solana' } = readFields(hireArguments, args);
        if (brief.trim() === '') throw new MarketError('brief_required');
        const offer = await offerOn(chain, () => run(discover, { service_id: id, brief, chain }));
        const service = (await run(read, { id })) as Service;
        return presentHire(baseUrl, { service, brief, offer });
      },
      mark: textMarker(['/title', '/agent_name', '/requirements/description']) as AnonymousTool['mark'],
    },
  ];
}

interface Hire {
  readonly service: Service;
  readonly brief: string;
  readonly offer: FlatRequirement;
}

function presentHire(baseUrl: string, { service, brief, offer }: Hire): object {
  const { payTo, maxAmountRequired, asset, network, scheme } = offer;
  const { total_charged_usd: total } = pricesOf(service);
  const { pay_url: payUrl, discover_url: discoverUrl } = addressesOf(baseUrl, service.service_id);
  return {
    service_id: service.service_id,
    title: service.title,
    agent_name: service.agent_name,
    brief,
    ...pricesOf(service),
    payment_requirements: { payTo, maxAmountRequired, asset, network, scheme },
    instructions: [
      `Send ${total} USDC (${maxAmountRequired} micro-USDC) to ${payTo} on ${network}.`,
      `Then POST ${payUrl} with the JSON body {"brief": …}, the header X-PAYMENT with the reference of the transfer, and X-Payment-Network: ${network}.`,
      `A standard x402 client can call ${discoverUrl}?brief=… instead: it pays by itself.`,
      'The answer holds order_id, status_url, read_token to read the order and, for a proven payer, buyer_token to act. Repeat a call that failed with the same payment; do not pay again.',
    ].join(' '),
    requirements: offer,
  };
}

function pricesOf({ price_usd: price }: Service): { readonly price_usd: number; readonly total_charged_usd: number } {
  return { price_usd: Number(price), total_charged_usd: Number(formatUsd(withFeeOnTop(parseUsd(price) ?? 0n))) };
}

function addressesOf(baseUrl: string, id: string): { readonly discover_url: string; readonly pay_url: string } {
  const named = encodeURIComponent(id);
  return { discover_url: `${baseUrl}/api/x402/discover/${named}`, pay_url: `${baseUrl}/api/x402/pay?service_id=${named}` };
}

interface FlatRequirement {
  readonly payTo: string;
  readonly maxAmountRequired: string;
  readonly asset: { readonly currency: string; readonly address: string };
  readonly network: string;
  readonly scheme: string;
}

/** The price of a hire: the executor throws it as the answer to an unpaid hire. */
async function offerOn(chain: (typeof chains)[number], hire: () => Promise<unknown>): Promise<FlatRequirement> {
  try {
    await hire();
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'payment_required') throw error;
    const offers = (error.body?.['accepts'] ?? []) as readonly FlatRequirement[];
    const offer = offers.find(({ network }) => network === networkOfChain(chain));
    if (offer === undefined) throw new MarketError('network_not_available');
    return offer;
  }
  throw new Error('a hire without payment did not ask for one');
}

function readFields<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const read = schema.safeParse(args);
  if (read.success) return read.data;
  throw invalidInput(read.error.issues.map(issueOf));
}

function schemaOf(schema: z.ZodObject): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { ...rest, required: rest.required ?? [] };
}

function operationNamed(name: OperationName): NamedOperation {
  const found = operationList.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no operation is called ${name}`);
  return found;
}
