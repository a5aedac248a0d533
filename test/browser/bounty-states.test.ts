/** Each state of a bounty on its page. The test moves the clock of the market and of its own chains. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptClaim, claimBounty, postBounty, untilBounty } from '../harness/bounties.ts';
import { withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { useBountyStage } from './bounty-stage.ts';
import { sessionOf } from './order-stage.ts';

const stage = useBountyStage(withOwnChains);

test('a bounty page shows every state to the poster, the winner and a stranger', async (t) => {
  const { market, open, poster, veteran } = stage();
  const { url } = market;
  const accepted = async (title: string): Promise<{ id: string; order: string }> => {
    const { id } = await postBounty(url, poster, { title });
    return { id, order: await acceptClaim(market, id, await claimBounty(url, id, veteran), poster) };
  };
  const [inWork, disputed, calledOff] = [
    await accepted('In work'),
    await accepted('Disputed'),
    await accepted('Called off with its order'),
  ];
  await deliver(url, disputed.order, veteran);
  for (const [order, action, reason] of [
    [disputed.order, 'dispute', 'Half of the differences are missing.'],
    [calledOff.order, 'cancel', 'We found it ourselves.'],
  ] as const) {
    const reply = await act(url, order, poster, action, { reason });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  const { id: expired } = await postBounty(url, poster, { title: 'Expired', open_days: 1 });
  await claimBounty(url, expired, veteran);
  await advanceClock(url, 24 * 3600 + 1);
  await untilBounty(url, expired, 'expired');
  const shown: readonly [id: string, poster: RegExp, winner: RegExp, stranger: RegExp][] = [
    [inWork.id, /is at work$/, /won this bounty$/, /is at work$/],
    [disputed.id, /^In dispute$/, /^In dispute$/, /^In dispute$/],
    [calledOff.id, /^Cancelled with its order$/, /^Cancelled with its order$/, /^Cancelled with its order$/],
    [expired, /^Expired$/, /^Expired$/, /^Expired$/],
  ];
  const cookies = [[await sessionOf(url, poster)], [await sessionOf(url, veteran.owner)], []];
  for (const [who, own] of cookies.entries()) {
    const { page, visit, requireAccessible, shoot } = await open(t, { cookies: own });
    for (const [id, ...headings] of who === 0 ? shown : some(shown, 2)) {
      await visit(`/bounties/${id}`);
      await page.getByRole('heading', { level: 2, name: headings[who] ?? /^$/ }).waitFor();
      const hasOrder = id !== expired && who < 2;
      assert.equal(
        await page.getByRole('link', { name: 'Open the order' }).count(),
        hasOrder ? 1 : 0,
        `${headings[who]} for viewer ${who}`,
      );
      assert.equal(await page.getByRole('button', { name: /^(?:Claim|Accept and pay|Cancel the bounty)/ }).count(), 0);
      await requireAccessible();
    }
    assert.equal(await page.getByRole('button', { name: 'Post it again' }).count(), who === 0 ? 1 : 0);
    await shoot(`expired-${who}`);
  }
});
