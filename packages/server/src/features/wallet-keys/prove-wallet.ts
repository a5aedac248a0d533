/**
 * A custodial wallet is used only if its stored address belongs to its sealed key. Otherwise an address changed in the database would
 * receive the agent's money. A row that was altered or moved does not open at all.
 */
import type { AgentId, NetworkName } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import { type SecretBox, SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import { addressOfKey, type WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { type PayableAgent, payoutDestination } from './payout-destination.ts';
import { listAgentWallets, type WalletRow } from './repository.ts';

export function sealedFor({
  agentId,
  kind,
  address,
}: {
  readonly agentId: string;
  readonly kind: string;
  readonly address: string;
}): string {
  return `agent_wallets/${agentId}/${kind}/${address}`;
}

/** Deriving an address takes most of a millisecond. A row whose content was proven with the same keys need not be proven again. */
const provenRows = new WeakMap<SecretBox, Set<string>>();
const MOST_REMEMBERED = 5_000;

export function proveWallet(secrets: SecretBox, { agentId, kind, address, sealedKey }: WalletRow): void {
  const sealed = sealedFor({ agentId, kind, address });
  const proven = provenRows.get(secrets) ?? new Set<string>();
  const content = `${sealed} ${sealedKey}`;
  if (proven.has(content)) return;
  openWallet(secrets, { agentId, kind, address, sealedKey });
  if (proven.size >= MOST_REMEMBERED) proven.clear();
  provenRows.set(secrets, proven.add(content));
}

/** The secret key as hex, after the proof that the address belongs to it. */
export function openWallet(secrets: SecretBox, { agentId, kind, address, sealedKey }: WalletRow): string {
  const secret = secrets.open(sealedKey, sealedFor({ agentId, kind, address }));
  if (addressOfKey(kind, secret) !== address)
    throw new SecretUnreadableError(`The ${kind} wallet of agent ${agentId} has an address that does not belong to its key.`);
  return secret;
}

/** Returns the address for the agent's money per network. The agent's own wallet is proven before anything is sent there. */
export async function provenDestinations(
  db: Db,
  secrets: SecretBox,
  agent: PayableAgent & { readonly id: AgentId; readonly wallets?: readonly WalletRow[] },
): Promise<(network: NetworkName) => string> {
  const wallets = agent.wallets ?? (await listAgentWallets(db, agent.id));
  const addressOf = (kind: WalletKind): string => wallets.find((wallet) => wallet.kind === kind)?.address ?? '';
  const addresses = { solana: addressOf('solana'), evm: addressOf('evm') };
  return (network) => {
    const destination = payoutDestination(agent, addresses, network);
    const own = wallets.find(({ address }) => address === destination);
    if (own !== undefined) proveWallet(secrets, own);
    return destination;
  };
}
