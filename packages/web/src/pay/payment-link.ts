import type { PayableNetwork } from '../wallets/wallet-session.ts';
import type { PayTerms } from './pay-driver.ts';

/** The link that phone wallets read from a QR code: EIP-681 on EVM networks, Solana Pay on Solana. */
export function paymentLink({ pay_to, usdc_address, amount_micros, amount_usd }: PayTerms, { kind, chain_id }: PayableNetwork): string {
  if (kind === 'evm') return `ethereum:${usdc_address}@${chain_id}/transfer?address=${pay_to}&uint256=${amount_micros}`;
  return `solana:${pay_to}?amount=${amount_usd.replace(/\.?0+$/, '')}&spl-token=${usdc_address}`;
}
