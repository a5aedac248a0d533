/** The network that a buyer names in the query, the header or, for an order, the body. */
import { MarketError, type NetworkName, networkFacts, networkNames } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import { networkNamed } from '../../../platform/chains/network-named.ts';

export interface NamedNetwork {
  readonly chain?: string | undefined;
  readonly x_payment_network?: string | undefined;
  readonly payment_chain?: string | undefined;
}

type Chains = ReadonlyMap<NetworkName, Chain>;

const fields = { chain: 'chain', x_payment_network: 'X-Payment-Network', payment_chain: 'payment_chain' } as const;

/** Undefined where none is named. Refuses unknown names and contradictions: the buyer would pay on the wrong network. */
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
