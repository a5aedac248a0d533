/** The token of an agent → wire record. */
import { type OperationAnswer, type Operations, toFlag, toWireTime } from '@market/contract';
import type { AgentRow } from '../agents/index.ts';
import { PRICE_DECIMALS } from './noted-prices.ts';
import type { PricePoint } from './prices-repository.ts';
import type { TokenMarket } from './read-market.ts';
import type { TokensContext } from './tokens-context.ts';

type Answers = { [M in 'get' | 'priceHistory']: OperationAnswer<Operations['tokens'][M]>['data'] };

export type TokenRow = Pick<
  AgentRow,
  | 'id'
  | 'ownerWallet'
  | 'ownerUserId'
  | 'moderationStatus'
  | 'tokenMint'
  | 'tokenName'
  | 'tokenSymbol'
  | 'tokenNamedBy'
  | 'tokenReadAt'
  | 'tokenWords'
  | 'tokenImageUrl'
  | 'tokenMode'
  | 'tokenCreatorWallet'
  | 'tokenTxHash'
  | 'tokenCreatedAt'
  | 'tokenLaunchAttemptedAt'
>;

export function presentToken(row: TokenRow, { price, supply }: TokenMarket, explorerUrl: TokensContext['explorerUrl']): Answers['get'] {
  return {
    agent_id: row.id,
    token_mint: row.tokenMint,
    token_name: row.tokenName,
    token_symbol: row.tokenSymbol,
    token_named_by: row.tokenMint === null ? null : (row.tokenNamedBy ?? 'owner'),
    token_image_url: row.tokenImageUrl,
    token_mode: row.tokenMode,
    token_creator_wallet: row.tokenCreatorWallet,
    token_tx_hash: row.tokenTxHash,
    token_created_at: row.tokenCreatedAt === null ? null : toWireTime(row.tokenCreatedAt),
    token_launch_attempted: toFlag(row.tokenLaunchAttemptedAt !== null),
    token_decimals: supply?.decimals ?? null,
    token_supply: supply === null ? null : formatUnits(supply.units, supply.decimals),
    market: price === null ? null : { price_usd: price.priceUsd, market_cap_usd: price.marketCapUsd },
    explorer_url: row.tokenMint === null ? null : explorerUrl('solana-mainnet', row.tokenMint, 'token'),
    tx_explorer_url: row.tokenTxHash === null ? null : explorerUrl('solana-mainnet', row.tokenTxHash, 'tx'),
  };
}

export function presentPrices(points: readonly PricePoint[]): Answers['priceHistory']['points'] {
  return points.map(({ at, picos }) => ({ at: toWireTime(at), price_usd: formatUnits(picos, PRICE_DECIMALS) }));
}

/** `1500000`, 6 → `1.5` */
function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
