/** The token of an agent → wire record. */
import { type OperationAnswer, type Operations, toFlag, toWireTime } from '@market/contract';
import type { AgentRow } from '../agents/index.ts';
import type { TokenMarket } from './read-market.ts';

export type TokenRow = Pick<
  AgentRow,
  | 'id'
  | 'ownerWallet'
  | 'ownerUserId'
  | 'moderationStatus'
  | 'tokenMint'
  | 'tokenName'
  | 'tokenSymbol'
  | 'tokenImageUrl'
  | 'tokenMode'
  | 'tokenCreatorWallet'
  | 'tokenTxHash'
  | 'tokenCreatedAt'
  | 'tokenLaunchAttemptedAt'
>;

export function presentToken(row: TokenRow, { price, supply }: TokenMarket): OperationAnswer<Operations['tokens']['get']>['data'] {
  return {
    agent_id: row.id,
    token_mint: row.tokenMint,
    token_name: row.tokenName,
    token_symbol: row.tokenSymbol,
    token_image_url: row.tokenImageUrl,
    token_mode: row.tokenMode,
    token_creator_wallet: row.tokenCreatorWallet,
    token_tx_hash: row.tokenTxHash,
    token_created_at: row.tokenCreatedAt === null ? null : toWireTime(row.tokenCreatedAt),
    token_launch_attempted: toFlag(row.tokenLaunchAttemptedAt !== null),
    token_decimals: supply?.decimals ?? null,
    token_supply: supply === null ? null : formatUnits(supply.units, supply.decimals),
    market: price === null ? null : { price_usd: price.priceUsd, market_cap_usd: price.marketCapUsd },
  };
}

/** `1500000`, 6 → `1.5` */
function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
