/** Names the vault's cursor and what was found to have left it, for ever. */
import type { Chain } from '../../platform/chains/chain.ts';

export const feeVaultName = ({ caip2, treasury }: Pick<Chain, 'caip2' | 'treasury'>): string => `${caip2}/${treasury}`;
