/** The reads of Earn: markets, positions, movements, prices over time. */
import { formatSixUsd, MarketError, operations, toWireTime, unitsFor } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { requireAgentBudget } from '../agent-wallets/index.ts';
import type { EarnContext } from './earn-context.ts';
import { listMovements } from './movement-repository.ts';
import { agentIdOf, listOwnersOf, nameOfOwner, requireOwnerOf } from './owners.ts';
import { formatNano, presentPool, presentProducts, seeVaults } from './present-market.ts';
import { presentMovement, presentMovements } from './present-movement.ts';
import { listPoints } from './sample-repository.ts';
import { sharePriceOf, valueOfUnits } from './share-price.ts';
import { bookOf, listPositions } from './vault-repository.ts';
import { requireEarn, requireVaultSetting } from './vaults.ts';

type Queries = Pick<HandlersOf<'earn'>, 'markets' | 'pools' | 'positions' | 'movements' | 'movement' | 'history'>;

export function earnQueries(context: EarnContext): Queries {
  const { database, chains } = context;
  const settings = [...context.vaults.values()];
  return {
    async markets() {
      requireEarn(context);
      const seen = await seeVaults(context);
      const pools = seen.filter(({ setting }) => setting.strategy === 'liquidity_provision');
      const networks = new Set(settings.map(({ network }) => network));
      const [only] = networks.size === 1 ? networks : [];
      return {
        data: {
          treasury_wallet: only === undefined ? null : (chains.get(only)?.treasury ?? null),
          enabled: pools.map(({ setting }) => setting.market),
          markets: pools.map((pool) => presentPool(context, pool)),
          products: presentProducts(context, seen),
        },
      };
    },

    async pools({ market }) {
      const pools = settings.filter(({ strategy }) => strategy === 'liquidity_provision');
      if (pools.length === 0) throw new MarketError('earn_unavailable');
      if (market !== undefined && !pools.some((pool) => pool.market === market)) throw new MarketError('earn_market_unknown');
      const seen = await seeVaults(context);
      const wanted = seen.filter(
        ({ setting }) => setting.strategy === 'liquidity_provision' && (market ?? setting.market) === setting.market,
      );
      return { data: wanted.map((pool) => presentPool(context, pool)) };
    },

    positions: readPositions(context),

    async movements({ key, ...page }, call) {
      requireEarn(context);
      const owners = await listOwnersOf(context, call.caller);
      const labels = Object.fromEntries(settings.map(({ key: of, label }) => [of, label]));
      const { rows, total, nextCursor } = await listMovements(database.db, owners, key, { ...page, labels });
      const shown = await presentMovements(
        context,
        rows.map(({ id }) => id),
      );
      return {
        data: rows.flatMap(({ id }) => {
          const movement = shown.get(id);
          return movement === undefined ? [] : [withoutOwner(movement)];
        }),
        total,
        next_cursor: nextCursor,
      };
    },

    async movement({ id }, call) {
      const owners = (await listOwnersOf(context, call.caller)).map((owner) => nameOfOwner(owner) as string);
      const movement = await presentMovement(context, id);
      if (movement === undefined || !owners.includes(movement.owner)) throw new MarketError('earn_movement_not_found');
      return { data: withoutOwner(movement) };
    },

    async history({ key, period }) {
      const setting = requireVaultSetting(context, { key });
      const points = await listPoints(database.db, key, period);
      return {
        data: {
          ...{ key, network: setting.network, period },
          points: points.map((point) => ({
            at: toWireTime(point.at),
            share_price: formatNano(point.sharePrice),
            apr_pct: point.aprPct,
            total_usdc_micro: String(point.totalAssets),
            available_usdc_micro: String(point.freeAssets),
          })),
        },
      };
    },
  };
}

function withoutOwner<M extends { readonly owner: string }>({ owner: _, ...shown }: M): Omit<M, 'owner'> {
  return shown;
}

function readPositions(context: EarnContext): Queries['positions'] {
  const { database } = context;
  return async (_, call) => {
    requireEarn(context);
    const own = requireOwnerOf(call.caller);
    await requireAgentBudget(context, call, operations.earn.positions, nameOfOwner(own));
    const positions = await listPositions(database.db, await listOwnersOf(context, call.caller));
    const seen = positions.length === 0 ? [] : await seeVaults(context);
    return {
      data: positions.flatMap((position) => {
        const found = seen.find(({ setting }) => setting.key === position.vaultKey);
        if (found === undefined) return [];
        const { setting, vault, venue } = found;
        const value = venue && valueOfUnits(unitsFor(bookOf(vault), position.shares), venue);
        const isMine = position.ownerKind === own.kind && position.ownerId === own.id;
        return [
          {
            vault_id: setting.key,
            pool_market: setting.key,
            ...{ key: setting.key, venue: setting.venue, market: setting.market, label: setting.label },
            ...{ network: setting.network, strategy: setting.strategy },
            shares: String(position.shares),
            principal_usd: formatSixUsd(position.principalMicros),
            value_usd: value === undefined ? null : formatSixUsd(value),
            gain_usd: value === undefined ? null : formatSixUsd(value - position.principalMicros),
            share_price: venue === undefined ? null : formatNano(sharePriceOf(bookOf(vault), venue)),
            stale: venue?.isStale ?? true,
            owned_by: isMine ? 'you' : (position.agentName ?? position.ownerId),
            agent_id: agentIdOf({ kind: position.ownerKind, id: position.ownerId }),
            wallet: position.ownerKind === 'wallet' ? position.ownerId : null,
          },
        ];
      }),
    };
  };
}
