/** An operator opens or closes deposits, or recognises a difference between venue and book. */
import { isTooCoarse, MarketError, type Spread, spreadHarvest, spreadLoss } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { presentAdminVaults } from '../administration.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { settleIfPaid } from '../end-redeem.ts';
import { hasOpenIntents } from '../intent-repository.ts';
import { findVault, insertEarnMovement, lockVault, setDepositsOpen, setImpaired, type VaultRow, writeBook } from '../vault-repository.ts';
import { bookOf, findVaultSetting, requireVenuePort } from '../vaults.ts';
import { lockQueue, spreadOver } from '../withdrawal-repository.ts';

export function manageVault(context: EarnContext): HandlersOf<'earn'>['manageVault'] {
  return async ({ key, deposits_open: depositsOpen, recognise, reason }, call) => {
    const setting = findVaultSetting(context, key);
    if (setting === undefined) throw new MarketError('earn_vault_not_found');
    // The book first: when it changes after the chain was read, the two do not belong together.
    const seen = await findVault(context.database.db, key);
    const heldUnits = recognise === undefined ? undefined : await readHeld(context, setting);
    const before = await showVault(context, key);
    let recognised: bigint | null = null;
    await call.commit(
      async (tx) => {
        const vault = await lockVault(tx, key);
        if (depositsOpen !== undefined) await setDepositsOpen(tx, key, depositsOpen);
        if (recognise !== undefined && heldUnits !== undefined && vault.version !== seen?.version) throw underWay();
        if (recognise !== undefined && heldUnits !== undefined)
          recognised = await recogniseDifference(tx, context, vault, recognise, heldUnits);
        const action =
          recognise === undefined ? `earn.deposits_${depositsOpen === true ? 'open' : 'closed'}` : `earn.recognise_${recognise}`;
        await recordAdminAction(tx, call.caller, { action, subjectId: key, reason, details: { recognised: String(recognised) } });
        return { data: { ...before, deposits_open: depositsOpen ?? before.deposits_open, recognised_units: textOf(recognised) } };
      },
      { provisional: true },
    );
    return { data: { ...(await showVault(context, key)), recognised_units: textOf(recognised) } };
  };
}

async function showVault(context: EarnContext, key: string) {
  const shown = (await presentAdminVaults(context)).find((vault) => vault.key === key);
  if (shown === undefined) throw new MarketError('earn_vault_not_found');
  return shown;
}

function underWay(): MarketError {
  return new MarketError('earn_nothing_to_recognise', { message: 'A deposit or redemption is under way. Try again when it has ended.' });
}

function textOf(units: bigint | null): string | null {
  return units === null ? null : String(units);
}

async function readHeld(context: EarnContext, setting: VaultSetting): Promise<bigint> {
  try {
    return (await requireVenuePort(context, setting).venues.read(setting.at)).heldUnits;
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

/** Spreads what is missing or too much over holders and queue, in proportion of their units. */
async function recogniseDifference(
  tx: Tx,
  context: EarnContext,
  vault: VaultRow,
  kind: 'loss' | 'harvest',
  heldUnits: bigint,
): Promise<bigint> {
  if (await hasOpenIntents(tx, vault.key)) throw underWay();
  const difference = heldUnits - vault.totalUnits - vault.queuedUnits;
  const isThere = kind === 'loss' ? difference < 0n : difference > 0n && vault.totalShares + vault.queuedUnits > 0n;
  if (!isThere) throw new MarketError('earn_nothing_to_recognise');
  const queue = await lockQueue(tx, vault.key);
  if (kind === 'harvest' && isTooCoarse(bookOf(vault), difference))
    throw new MarketError('earn_nothing_to_recognise', {
      message: 'So few shares are left that the gain would make one too dear to buy. Try again when more is deposited.',
    });
  const left = queue.map(({ id, unitsLeft }) => ({ id, unitsLeft }));
  const spread = kind === 'loss' ? spreadLoss(bookOf(vault), left, -difference) : spreadHarvest(bookOf(vault), left, difference);
  await writeSpread(tx, context, vault, queue, spread, kind);
  return difference;
}

async function writeSpread(
  tx: Tx,
  context: EarnContext,
  vault: VaultRow,
  queue: Awaited<ReturnType<typeof lockQueue>>,
  spread: Spread,
  kind: 'loss' | 'harvest',
): Promise<void> {
  await writeBook(tx, vault.key, spread.book);
  await insertEarnMovement(tx, { vaultKey: vault.key, kind, units: spread.poolChange });
  for (const [index, { id, unitsLeft, ownerKind, ownerId }] of queue.entries()) {
    const after = spread.queue[index]?.unitsLeft ?? unitsLeft;
    if (after === unitsLeft) continue;
    await spreadOver(tx, id, after, after - unitsLeft);
    const owner = { kind: ownerKind, id: ownerId };
    await insertEarnMovement(tx, { vaultKey: vault.key, owner, kind, queuedUnits: after - unitsLeft, subjectId: id });
    if (after === 0n) await settleIfPaid(tx, context, id);
  }
  // As these writes left it: opening deposits counts as a change, too.
  await setImpaired(tx, await lockVault(tx, vault.key), 0n);
}
