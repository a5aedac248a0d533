/** The vault's name in its cursor and in transfers found to have left it; it must never change. */
import type { Chain } from '../../../platform/chains/chain.ts';

export const feeVaultName = ({ caip2, treasury }: Pick<Chain, 'caip2' | 'treasury'>): string => `${caip2}/${treasury}`;
