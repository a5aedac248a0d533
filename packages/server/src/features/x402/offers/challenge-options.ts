/** The way an endpoint asks for payment: its address, the form of its 402, and the network that the buyer names. */
import { MarketError, type NetworkName, networkFacts, networkNames, type OperationArguments, type Operations } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import { networkNamed } from '../../../platform/chains/network-named.ts';
import type { PurchaseReference } from '../../payments/index.ts';
import type { X402Context } from '../x402-context.ts';

/** `accepts`: the specification's list · `strict`: version 1 to the letter · `flat`: one requirement object. */
export type ChallengeForm = 'accepts' | 'strict' | 'flat';

export interface ChallengeOptions extends PayableAddress {
  readonly form: ChallengeForm;
  /** Offered first, or the only one in the flat form. */
  readonly network: NetworkName | undefined;
  readonly method: 'GET' | 'POST';
  /** Text that a transfer can carry to name this purchase; only where the request is complete. */
  readonly reference?: PurchaseReference;
  /** How to call an endpoint that is not a hire, in version 2 and version 1. */
  readonly extension?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** The fields of a request that choose the form of the challenge. */
export interface AskedWith extends NamedNetwork {
  readonly x402Version?: '1' | '2' | undefined;
}

/** An endpoint that asks for payment. */
export interface PayableEndpoint {
  readonly entrance: Entrance;
  /** Absent for a registration only. */
  readonly serviceId?: string;
  readonly usualForm: 'accepts' | 'flat';
  readonly method: 'GET' | 'POST';
}

export function readChallengeOptions(
  { baseUrl, chains }: Pick<X402Context, 'baseUrl' | 'chains'>,
  input: AskedWith,
  { entrance, serviceId, usualForm, method }: PayableEndpoint,
): ChallengeOptions {
  return {
    // A client that asks for version 1 gets it to the letter on every endpoint.
    form: input.x402Version === '1' ? 'strict' : usualForm,
    network: networkChosen(input, chains),
    ...payableAddress(baseUrl, entrance, serviceId),
    method,
  };
}

export type Entrance = OperationArguments<Operations['x402']['offers']>['at'];

export interface PayableAddress {
  /** Absolute, as challenges and signed offers name it. */
  readonly url: string;
  /** Address of the signed offers; relative, because every byte of a challenge counts. */
  readonly offersUrl: string;
}

const paths: Record<Entrance, (serviceId: string) => string> = {
  discover: (id) => `/api/x402/discover/${encodeURIComponent(id)}`,
  discover_query: (id) => `/api/x402/discover?service_id=${encodeURIComponent(id)}`,
  pay: (id) => `/api/x402/pay?service_id=${encodeURIComponent(id)}`,
  orders: () => '/api/orders',
  register: () => '/api/agents/register',
};

/** Offers are signed for an address, so this file alone makes them. `serviceId` is left out for a registration only. */
export function payableAddress(baseUrl: string, entrance: Entrance, serviceId?: string): PayableAddress {
  const service = serviceId === undefined ? '' : `&service_id=${encodeURIComponent(serviceId)}`;
  return {
    url: `${baseUrl}${paths[entrance](serviceId ?? '')}`,
    offersUrl: `${new URL(baseUrl).pathname.replace(/\/$/, '')}/api/x402/offers?at=${entrance}${service}`,
  };
}

export interface NamedNetwork {
  readonly chain?: string | undefined;
  readonly x_payment_network?: string | undefined;
  readonly payment_chain?: string | undefined;
}

type Chains = ReadonlyMap<NetworkName, Chain>;

const fields = { chain: 'chain', x_payment_network: 'X-Payment-Network', payment_chain: 'payment_chain' } as const;

/**
 * The network that a buyer names in the query, the header or, for an order, the body; undefined where none is named. Refuses unknown names
 * and contradictions: the buyer would pay on the wrong network.
 */
export function networkChosen(named: NamedNetwork, chains: Chains): NetworkName | undefined {
  const found = (Object.keys(fields) as (keyof typeof fields)[]).flatMap((field) => {
    const text = named[field]?.trim() ?? '';
    if (text === '') return [];
    const network = networkNamed(text, chains.values());
    if (network === undefined) throw unknownNetwork(fields[field], chains);
    return [{ field: fields[field], network }];
  });
  const [first] = found;
  const other = found.find(({ network }) => network !== first?.network);
  if (first !== undefined && other !== undefined) {
    throw new MarketError('invalid_input', {
      message: `${first.field} names ${first.network}, but ${other.field} names ${other.network}. Name one network.`,
    });
  }
  return first?.network;
}

function unknownNetwork(field: string, chains: Chains): MarketError {
  const caip2 = [...chains.values()].map((chain) => chain.caip2);
  const allowed = [...networkNames, ...networkNames.map((name) => networkFacts[name].chain), ...caip2];
  return new MarketError('invalid_input', { message: `${field} must be one of: ${allowed.join(', ')}.`, data: { allowed } });
}
