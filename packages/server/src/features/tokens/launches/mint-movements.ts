/** Builds a mint for its chain, and writes its end. `agent-wallets` carries it to the chain, one safe step at a time. */
import { MarketError } from '@market/contract';
import { type Chain, ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { PlannedMint, TokenLauncher } from '../../../platform/chains/token-launcher.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import { type SecretBox, SecretUnreadableError } from '../../../platform/secrets/secret-box.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { appendOwnerEvent, type MintMovements, type MovementRow } from '../../agent-wallets/index.ts';
import { findAgent } from '../../agents/index.ts';
import { lockToken, releaseLaunch, writeToken } from '../index.ts';
import { openMintKey } from './mint-key.ts';
import { endMint, findMint, lockIdentity, type MintRow, writeIdentity } from './repository.ts';

export interface MintContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly secrets: SecretBox;
  readonly log: Logger;
}

/** A billion, with six decimals. */
const TOKEN = { decimals: 6, supply: 1_000_000_000n * 1_000_000n, nonTransferable: false } as const;
const IDENTITY = { decimals: 0, supply: 1n, nonTransferable: true } as const;

export function mintMovements(context: MintContext): MintMovements {
  const { database, secrets } = context;
  const planOf = async ({ id }: MovementRow): Promise<MintRow> => {
    const mint = await findMint(database.db, id);
    if (mint === undefined) throw new Error(`${id} makes a mint that is not stored`);
    return mint;
  };
  return {
    async sign(movement, chain) {
      const mint = await planOf(movement);
      try {
        return await launcherOf(chain).signMint(plannedOf(mint), openMintKey(secrets, mint));
      } catch (error) {
        if (!(error instanceof SecretUnreadableError)) throw error;
        context.log.error({ movement: movement.id, mint: mint.mint, reason: error.message }, 'the key of a mint cannot be opened');
        throw new MarketError('wallet_key_unreadable', { retryAfterSeconds: 60, cause: error });
      }
    },
    readOutcome: async (movement, chain, signed) => launcherOf(chain).readOutcome(plannedOf(await planOf(movement)), signed),
    isMade: async (movement, chain) => launcherOf(chain).isMade((await planOf(movement)).mint),
    findMade: async (movement, chain) => launcherOf(chain).findMaking((await planOf(movement)).mint),
    readMade: async () => null,
    confirm: (tx, movement, reference) => confirm(context, tx, movement, reference),
    fail: (tx, movement, reason) => fail(context, tx, movement, reason),
  };
}

function launcherOf({ launcher, network }: Chain): TokenLauncher {
  if (launcher === undefined) throw new ChainUnavailable(network, 'this network makes no tokens');
  return launcher;
}

function plannedOf({ movementId: intentId, mint, name, symbol, uri, kind }: MintRow): PlannedMint {
  return { intentId, mint, name, symbol, uri, ...(kind === 'token_launch' ? TOKEN : IDENTITY) };
}

async function confirm({ clock, events }: MintContext, tx: Tx, movement: MovementRow, reference: string): Promise<void> {
  const made = await requireMint(tx, movement);
  const now = clock.now();
  await endMint(tx, movement.id, 'made');
  const agent = await findAgent(tx, movement.agentId);
  if (agent === undefined) throw new Error(`the agent of ${movement.id} is gone`);
  const { mint, name, symbol, imageUrl } = made;
  if (made.kind === 'said_identity') {
    await lockIdentity(tx, movement.agentId);
    await writeIdentity(tx, movement.agentId, { saidWallet: movement.wallet, saidPda: mint, saidTxHash: reference, updatedAt: now });
    await appendOwnerEvent(tx, { events }, agent, 'agent.said_minted', { mint, wallet: movement.wallet, tx_hash: reference });
  } else {
    const locked = await lockToken(tx, movement.agentId);
    if (locked === undefined || locked.tokenMint !== null) throw new Error(`${movement.agentId} has a token beside the launched one`);
    const names = { tokenName: name, tokenSymbol: symbol, tokenNamedBy: 'mint', tokenReadAt: now, tokenWords: made.words } as const;
    const token = { ...names, tokenMint: mint, tokenImageUrl: imageUrl, tokenCreatorWallet: movement.wallet };
    await writeToken(tx, { ...locked, ...token, tokenMode: 'partner', tokenTxHash: reference, tokenCreatedAt: now }, now);
    const data = { mint, name, symbol, named_by: 'mint', mode: 'partner', creator_wallet: movement.wallet, tx_hash: reference };
    await appendOwnerEvent(tx, { events }, agent, 'agent.token_launched', data);
  }
  reachCrashPoint('mint.before_made_commit');
}

/** Ends a mint that made nothing, so that the next launch may begin. */
async function fail({ clock, events }: MintContext, tx: Tx, movement: MovementRow, reason: string): Promise<void> {
  const { kind, mint } = await requireMint(tx, movement);
  await endMint(tx, movement.id, 'failed');
  if (kind === 'token_launch') await releaseLaunch(tx, movement.agentId, clock.now());
  const agent = await findAgent(tx, movement.agentId);
  if (agent !== undefined) await appendOwnerEvent(tx, { events }, agent, 'agent.mint_failed', { action: kind, mint, reason });
  reachCrashPoint('mint.before_failed_commit');
}

async function requireMint(tx: Tx, { id }: MovementRow): Promise<MintRow> {
  const mint = await findMint(tx, id);
  if (mint === undefined) throw new Error(`${id} makes a mint that is not stored`);
  return mint;
}
