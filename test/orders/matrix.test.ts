/** Status × command × person over HTTP, compared with the documented table: exactly the allowed transitions happen. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type ErrorCode,
  errorCatalogue,
  type OrderCommand,
  type OrderStatus,
  orderCommands,
  orderRoles,
  orderStatuses,
  statusOfKind,
} from '@market/contract';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { isThorough, some } from '../harness/thoroughness.ts';
import { entrances, give, operationOf, THE_MARKET } from './entrances.ts';
import { recordOf } from './order-record.ts';
import {
  everybody,
  factsAt,
  openStage,
  type Person,
  people,
  requireEntrance,
  type Stage,
  type Standing,
  standings,
  takesMoney,
} from './stage.ts';
import { everGives, expectedOutcome, leadsTo } from './transition-table.ts';

type Expected = { readonly to: OrderStatus } | { readonly code: ErrorCode };
interface Cell {
  readonly standing: Standing;
  readonly command: OrderCommand;
  readonly person: Person;
  readonly expected: Expected;
}

const NOW = new Date();
const given = orderCommands.filter((command) => entrances[command] !== THE_MARKET);

/** In a running workspace every delivery is an answer to a request; elsewhere none is. */
function isReachable({ kind, status }: Standing, command: OrderCommand): boolean {
  const answers = kind === 'workspace' && status === 'in_progress';
  return command === 'deliver' ? !answers : command !== 'answer_request' || answers;
}

/** The expected outcome: the credential decides first, then the side, then the order. */
function expect(standing: Standing, command: OrderCommand, person: Person): Expected {
  const { role, kinds } = people[person];
  const { accepts } = operationOf(requireEntrance(command)).spec.access;
  if (kinds.length === 0) return { code: 'unauthenticated' };
  if (!kinds.some((kind) => accepts.includes(kind))) return { code: 'wrong_credential' };
  if (role === undefined) return { code: 'not_your_order' };
  if (!everGives(command, role)) return { code: 'wrong_side' };
  const outcome = expectedOutcome(factsAt(standing), command, role, NOW);
  if ('to' in outcome) return outcome;
  assert.equal(outcome.codes.length, 1, `${command} on ${nameOf(standing)}: one reason`);
  return { code: outcome.codes[0] as ErrorCode };
}

const cells: readonly Cell[] = standings.flatMap((standing) =>
  given
    .filter((command) => isReachable(standing, command))
    .flatMap((command) => everybody.map((person) => ({ standing, command, person, expected: expect(standing, command, person) }))),
);
/** A thorough run tries every attempt; an everyday run a third, a different one for each standing. */
const EVERYDAY_SHARE = 3;
const isTried = (turn: number) => (_: unknown, n: number) => isThorough || n % EVERYDAY_SHARE === turn % EVERYDAY_SHARE;

const allowed = cells.flatMap((cell) => ('to' in cell.expected ? [{ ...cell, to: cell.expected.to }] : []));
const moves = some(allowed, 24);

function nameOf({ kind, status }: Standing): string {
  return `${kind} order that is ${status.replaceAll('_', ' ')}`;
}

describe('R04: the order transition table, over HTTP', () => {
  let market: TestMarket;
  let stage: Stage;
  before(async () => {
    // Without jobs only the commands themselves can change an order.
    market = await openMarket({ ...withChains, JOBS: 'off' });
    stage = await openStage(market);
    const payments = [...standings, ...moves.map(({ standing }) => standing)].filter(takesMoney).length;
    await stage.payAhead(1 + payments + moves.filter(({ command }) => command === 'pay').length);
  });
  after(async () => {
    await market.close();
  });

  const parties = orderRoles.filter((role) => role !== 'system');

  test('every order command either has an HTTP entrance or belongs to the system role alone', () => {
    for (const command of orderCommands) {
      assert.equal(entrances[command] === THE_MARKET, !parties.some((role) => everGives(command, role)), command);
    }
  });

  test('every allowed cell of the order transition table is tested, for each role and state', () => {
    for (const command of orderCommands)
      for (const role of parties)
        for (const status of orderStatuses) {
          const to = leadsTo(command, role, status);
          const tried = allowed.filter(
            (cell) => cell.command === command && people[cell.person].role === role && cell.standing.status === status,
          );
          assert.deepEqual(
            [...new Set(tried.map((cell) => cell.to))],
            to === undefined ? [] : [to],
            `${command} by ${role} from ${status}`,
          );
        }
  });

  test('an order command of the system role cannot be called by anybody', async () => {
    const id = await stage.bringTo({ kind: 'plain', status: 'delivered' });
    const record = await recordOf(market, id);
    for (const action of orderCommands.filter((command) => entrances[command] === THE_MARKET)) {
      for (const person of everybody) {
        const reply = await call(market.url, `PATCH /api/orders/${id}`, { headers: stage.headers[person], body: { action } });
        assert.deepEqual(faultsOfRefusal(reply), [], `${action} by ${person}`);
        // Strangers learn that the order is not theirs before they learn that there is no such action.
        const statuses = parties.some((party) => party === people[person].role) ? [400] : [400, 401, 403];
        assert.ok(statuses.includes(reply.status), `${action} by ${person}: ${JSON.stringify(reply.body)}`);
      }
    }
    assert.equal(await recordOf(market, id), record);
  });

  for (const [turn, standing] of standings.entries()) {
    const refused = cells.filter((cell) => cell.standing === standing && 'code' in cell.expected).filter(isTried(turn));
    test(`a ${nameOf(standing)} refuses ${refused.length} attempts with the right error and stays unchanged`, async () => {
      const id = await stage.bringTo(standing);
      const record = await recordOf(market, id);
      const view = await readView(id);
      for (const [command, attempts] of Map.groupBy(refused, (cell) => cell.command)) {
        await Promise.all(attempts.map((attempt) => assertRefused(id, attempt)));
        assert.equal(await recordOf(market, id), record, `${command} left a trace`);
      }
      assert.deepEqual(await readView(id), view);
      for (const person of everybody.filter((one) => people[one].role !== undefined)) {
        const offered = (await readView(id, person)).next_actions.map(({ action }: { action: string }) => action);
        const expected = allowed.filter((cell) => cell.standing === standing && cell.person === person).map(({ command }) => command);
        assert.deepEqual(offered.toSorted(), expected.toSorted(), `offered to ${person}`);
      }
    });
  }

  for (const { standing, command, person, to } of moves) {
    test(`${person}: ${command} moves a ${nameOf(standing)} to ${to}`, async () => {
      const id = await stage.bringTo(standing);
      const before = await readView(id);
      const reply = await takeOffer(id, command, person);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { order, timeline } = await readView(id);
      const step = timeline.at(before.timeline.length);
      assert.deepEqual([step?.action, step?.from_status, step?.to_status, step?.by], [command, standing.status, to, people[person].role]);
      // A workspace opens with its payment, and ends with the last answer due.
      assert.equal(order.status, timeline.at(-1)?.to_status);
      assert.ok(timeline.length === before.timeline.length + 1 || timeline.at(-1)?.by === 'system');
    });
  }

  test('the books are sound after the transition matrix', async () => {
    assert.deepEqual((await runAudit(market.database, market.chains)).findings, []);
  });

  async function assertRefused(id: string, { standing, command, person, expected }: Cell): Promise<void> {
    const what = `${command} by ${person}`;
    const reply = await give(market.url, requireEntrance(command), id, stage.headers[person]);
    assert.deepEqual(faultsOfRefusal(reply), [], what);
    assert.deepEqual({ status: reply.status, code: reply.body['code'] }, refusal(expected), `${what}: ${JSON.stringify(reply.body)}`);
    assertHint(standing, person, reply, what);
  }

  /** Sends the command as `next_actions` offers it, with the fields it asks for. */
  async function takeOffer(id: string, command: OrderCommand, person: Person): Promise<Reply> {
    const offered = (await readView(id, person)).next_actions.find((ready: { action: string }) => ready.action === command);
    assert.ok(offered, `${command} is not offered to ${person}`);
    const { operation, fields = {} } = requireEntrance(command);
    assert.equal(offered.operation, operation);
    const asked = [...offered.required, ...offered.one_of].filter((field: string) => Object.hasOwn(fields, field));
    assert.equal(asked.length, offered.required.length + (offered.one_of.length > 0 ? 1 : 0), `${command}: ${offered.required}`);
    const added = Object.fromEntries(asked.map((field) => [field, fields[field]]));
    const more = command === 'pay' ? { escrow_tx_hash: stage.takePayment(), payment_chain: 'base' } : {};
    const body = { ...offered.body, ...added, ...more };
    return await call(market.url, `${offered.method} ${offered.path}` as `GET /${string}`, { headers: stage.headers[person], body });
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire.
  async function readView(id: string, person: Person = 'the buyer'): Promise<any> {
    const reply = await call(market.url, `GET /api/orders/${id}`, { headers: stage.headers[person] });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'];
  }
});

function refusal(expected: Expected): { status: number; code: string } {
  assert.ok('code' in expected);
  return { status: statusOfKind[errorCatalogue[expected.code].kind], code: expected.code };
}

/** Requires that a refused party learns the order's status and the possible actions. */
function assertHint(standing: Standing, person: Person, { status, body }: Reply, what: string): void {
  const { role } = people[person];
  const isTold = status === 400 && role !== undefined;
  if (!isTold) {
    assert.equal(body['data'], undefined, what);
    return;
  }
  const possible = orderCommands.filter((command) => 'to' in expectedOutcome(factsAt(standing), command, role, NOW));
  assert.equal(body['data'].status, standing.status, what);
  assert.deepEqual([...body['data'].allowed_actions].sort(), [...possible].sort(), what);
  const ready = body['data'].next_actions.map(({ action }: { action: string }) => action);
  assert.deepEqual(ready.toSorted(), [...possible].sort(), what);
}
