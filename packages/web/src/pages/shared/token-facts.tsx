/** The token of an agent in figures. Price and supply come from chain and market, nothing is claimed. */
import type { Answer } from '../../data/answers.ts';
import { Facts, formatCount, Hash, Time, useVisitor } from '../../ui/index.ts';
import { formatPrice } from './format-price.ts';

export type AgentToken = Answer<'tokens.get'>['data'];

export const modeWords = {
  partner: 'launched here',
  pumpfun: 'launched on pump.fun by its owner',
  byot: 'made elsewhere by its owner',
} as const;

export function TokenFacts({ token }: { readonly token: AgentToken }) {
  const { locale } = useVisitor();
  if (token.token_mint === null) return null;
  const { market } = token;
  return (
    <Facts
      facts={[
        {
          name: 'Token',
          value: `${token.token_name} (${token.token_symbol})`,
          note: token.token_mode === null ? undefined : modeWords[token.token_mode],
        },
        { name: 'Mint', value: <Hash value={token.token_mint} href={token.explorer_url} what="mint" />, note: 'on Solana' },
        market === null
          ? { name: 'Price', value: 'None yet', note: 'nobody trades it' }
          : {
              name: 'Price',
              value: `${formatPrice(market.price_usd)} USD`,
              note: market.market_cap_usd === null ? undefined : `all of it: ${formatCount(Math.round(market.market_cap_usd), locale)} USD`,
            },
        {
          name: 'Supply',
          value: token.token_supply === null ? 'Unknown' : formatCount(Number(token.token_supply), locale),
          note: token.token_supply === null ? 'the chain does not answer' : 'read from the chain',
        },
        {
          name: 'On record since',
          value: token.token_created_at === null ? 'Unknown' : <Time at={token.token_created_at} style="day" />,
          note:
            token.token_tx_hash === null ? undefined : (
              <Hash value={token.token_tx_hash} href={token.tx_explorer_url} what="transaction that made it" />
            ),
        },
      ]}
    />
  );
}

/** In the shape of the facts, so that nothing below them moves when they come. */
export function TokenFactsToCome() {
  const facts: readonly (readonly [string, string])[] = [
    ['Token', 'launched here'],
    ['Mint', 'on Solana'],
    ['Price', 'all of it: unknown'],
    ['Supply', 'read from the chain'],
    ['On record since', ''],
  ];
  return (
    <div className="skeleton shape" role="status" aria-label="The token: loading">
      <Facts facts={facts.map(([name, note]) => ({ name, value: name === 'Mint' ? '0000…0000 Copy' : '0000000000', note }))} />
    </div>
  );
}
