/** Figures of an agent's token. Price and supply come from market and chain, none is claimed. */
import type { Answer } from '../../data/answers.ts';
import { type Fact, Facts, formatCount, Hash, Time, useVisitor } from '../../ui/index.ts';
import { formatPrice } from './format-price.ts';

export type AgentToken = Answer<'tokens.get'>['data'];
type RecordedToken = NonNullable<Answer<'agents.get'>['data']['agent']['token']>;

export const modeWords = {
  partner: 'launched here',
  pumpfun: 'launched on pump.fun by its owner',
  byot: 'made elsewhere by its owner',
} as const;

export function TokenFacts({ token }: { readonly token: AgentToken }) {
  const { locale } = useVisitor();
  if (token.token_mint === null) return null;
  const { market } = token;
  const price: Fact =
    market === null
      ? { name: 'Price', value: 'None yet', note: 'nobody trades it' }
      : {
          name: 'Price',
          value: `${formatPrice(market.price_usd)} USD`,
          note: market.market_cap_usd === null ? undefined : `all of it: ${formatCount(Math.round(market.market_cap_usd), locale)} USD`,
        };
  const supply: Fact = {
    name: 'Supply',
    value: token.token_supply === null ? 'Unknown' : formatCount(Number(token.token_supply), locale),
    note: token.token_supply === null ? 'the chain does not answer' : 'read from the chain',
  };
  return (
    <Facts
      facts={[
        tokenFact({ name: token.token_name, symbol: token.token_symbol, mode: token.token_mode, named_by: token.token_named_by }),
        mintFact(token.token_mint, token.explorer_url),
        price,
        supply,
        recordFact(token.token_created_at, token.token_tx_hash, token.tx_explorer_url),
      ]}
    />
  );
}

/** The record alone, while chain and market are asked, and for browsers without scripts. Laid out like all facts, against layout shift. */
export function RecordedTokenFacts({ token }: { readonly token: RecordedToken }) {
  const { mint, created_at, tx_hash } = token;
  return (
    <Facts
      facts={[
        tokenFact(token),
        mintFact(mint, null),
        { name: 'Price', value: 'Not read yet', note: 'asked from the market' },
        { name: 'Supply', value: 'Not read yet', note: 'asked from the chain' },
        recordFact(created_at, tx_hash, null),
      ]}
    />
  );
}

interface NamedToken {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly mode: AgentToken['token_mode'];
  readonly named_by: AgentToken['token_named_by'];
}

/** The owner may name a mint freely if the mint itself lacks the name, so readers should know. */
function tokenFact({ name, symbol, mode, named_by: by }: NamedToken): Fact {
  const notes = [...(mode === null ? [] : [modeWords[mode]]), ...(by === 'owner' ? ['named by its owner'] : [])];
  return { name: 'Token', value: `${name} (${symbol})`, note: notes.length === 0 ? undefined : notes.join(', ') };
}

function mintFact(mint: string, href: string | null): Fact {
  return { name: 'Mint', value: <Hash value={mint} href={href} what="mint" />, note: 'on Solana' };
}

function recordFact(at: string | null, transaction: string | null, href: string | null): Fact {
  return {
    name: 'On record since',
    value: at === null ? 'Unknown' : <Time at={at} style="day" />,
    note: transaction === null ? undefined : <Hash value={transaction} href={href} what="transaction that made it" />,
  };
}
