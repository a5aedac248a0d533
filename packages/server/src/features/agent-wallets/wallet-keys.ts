/** Opens the key of a wallet for one use. A key that does not open, or belongs to another address, is logged and moves nothing. */

import { type AgentId, MarketError } from '@market/contract';
import { base58 } from '@scure/base';
import { createLocalSolanaSigner } from '../../platform/chains/solana/solana-signer.ts';
import { createLocalEvmSigner } from '../../platform/chains/treasury-signer.ts';
import { SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import type { WalletSigner } from '../../platform/wallets/wallet-chains.ts';
import { ensureWallets, openWallet, type WalletRow } from '../wallet-keys/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';

/** The agent's wallet of this kind, with a key that opens. Agents from before server wallets existed get one now. */
export async function requireWallet(context: AgentWalletsContext, agentId: AgentId, kind: WalletKind): Promise<WalletRow> {
  const wallet = (await ensureWallets(context, agentId)).find((row) => row.kind === kind);
  if (wallet === undefined) throw new MarketError('wallet_missing');
  openSecret(context, wallet);
  return wallet;
}

export function openSigner(context: AgentWalletsContext, wallet: WalletRow): WalletSigner {
  const secret = openSecret(context, wallet);
  return wallet.kind === 'solana' ? createLocalSolanaSigner(secret) : createLocalEvmSigner(secret);
}

/** The private key in the format that wallet apps import. */
export function exportSecret(context: AgentWalletsContext, wallet: WalletRow): string {
  const secret = openSecret(context, wallet);
  if (wallet.kind === 'evm') return `0x${secret}`;
  return base58.encode(Buffer.concat([Buffer.from(secret, 'hex'), base58.decode(wallet.address)]));
}

function openSecret({ secrets, log }: AgentWalletsContext, wallet: WalletRow): string {
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
