/** Opens the key of a wallet for one use. A key that does not open, or opens another address, moves nothing and is reported. */

import { type AgentId, MarketError } from '@market/contract';
import { base58 } from '@scure/base';
import { createLocalSolanaSigner } from '../../platform/chains/solana/solana-signer.ts';
import { createLocalEvmSigner } from '../../platform/chains/treasury-signer.ts';
import { SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import type { WalletSigner } from '../../platform/wallets/wallet-chains.ts';
import { ensureWallets, openWallet, type WalletRow } from '../wallets/index.ts';
import type { CustodyContext } from './custody-context.ts';

/** The wallet of this kind, proven. Agents registered before wallets existed get theirs now. */
export async function requireWallet(context: CustodyContext, agentId: AgentId, kind: WalletKind): Promise<WalletRow> {
  const wallet = (await ensureWallets(context, agentId)).find((row) => row.kind === kind);
  if (wallet === undefined) throw new MarketError('wallet_missing');
  openSecret(context, wallet);
  return wallet;
}

export function openSigner(context: CustodyContext, wallet: WalletRow): WalletSigner {
  const secret = openSecret(context, wallet);
  return wallet.kind === 'solana' ? createLocalSolanaSigner(secret) : createLocalEvmSigner(secret);
}

/** As wallets import it. */
export function exportSecret(context: CustodyContext, wallet: WalletRow): string {
  const secret = openSecret(context, wallet);
  if (wallet.kind === 'evm') return `0x${secret}`;
  return base58.encode(Buffer.concat([Buffer.from(secret, 'hex'), base58.decode(wallet.address)]));
}

function openSecret({ secrets, log }: CustodyContext, wallet: WalletRow): string {
  try {
    return openWallet(secrets, wallet);
  } catch (error) {
    if (!(error instanceof SecretUnreadableError)) throw error;
    log.error(
      { agent: wallet.agentId, kind: wallet.kind, address: wallet.address, reason: error.message },
      'the key of an agent wallet cannot be opened: check MASTER_KEY and MASTER_KEYS_OLD, and who changed agent_wallets',
    );
    throw new MarketError('wallet_key_unreadable', { retryAfterSeconds: 60, cause: error });
  }
}
