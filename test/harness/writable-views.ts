/** Lets a test write to the views of money out as if they were tables, without any check of the code. */
import type pg from 'pg';

const instead = (view: string, event: string, body: string): string => `
  create or replace function ${view}_${event}() returns trigger language plpgsql as $$ begin ${body} end $$;
  create or replace trigger ${view}_${event} instead of ${event} on ${view} for each row execute function ${view}_${event}();`;

const insertIntent = (purpose: string, subject: string, payer: string, destination: string, asset: string, amount: string) => `
  insert into outgoing_intents (id, purpose, subject_id, network, payer, destination, asset, amount, state, reason, reference, created_at, updated_at)
  values (new.id, ${purpose}, ${subject}, new.network, ${payer}, ${destination}, ${asset}, ${amount}, coalesce(new.state, 'queued'), new.reason,
          new.reference, coalesce(new.created_at, market_now()), coalesce(new.updated_at, market_now()));`;

/** One statement, so that it fits into a list of others. */
export const writableViews = [
  instead(
    'wallet_movements',
    'insert',
    `${insertIntent('new.purpose', 'new.id', 'new.wallet', 'new.destination', 'new.asset', 'new.amount')}
     insert into agent_movements (id, agent_id) values (new.id, new.agent_id); return new;`,
  ),
  instead(
    'wallet_movements',
    'update',
    `update outgoing_intents set state = new.state, reason = new.reason, reference = new.reference, destination = new.destination,
       payer = new.wallet, created_at = new.created_at where id = old.id; return new;`,
  ),
  instead(
    'wallet_movements',
    'delete',
    `delete from agent_movements where id = old.id; delete from outgoing_intents where id = old.id; return old;`,
  ),
  instead(
    'earn_intents',
    'insert',
    `${insertIntent(`'venue_' || new.kind`, 'new.subject_id', `'treasury'`, 'new.router', `'usdc'`, 'new.assets')}
     insert into venue_calls (id, kind, vault_key, venue, units) values (new.id, new.kind, new.vault_key, new.venue, new.units); return new;`,
  ),
  instead(
    'earn_intents',
    'update',
    `update outgoing_intents set state = new.state, created_at = new.created_at, updated_at = new.updated_at where id = old.id;
     update venue_calls set min_out = new.min_out, queue_number = new.queue_number where id = old.id; return new;`,
  ),
  instead(
    'creator_fee_payouts',
    'update',
    `update outgoing_intents set amount = new.lamports, reference = new.reference where id = old.id; return new;`,
  ),
].join('\n');

export async function makeViewsWritable(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(writableViews);
}
