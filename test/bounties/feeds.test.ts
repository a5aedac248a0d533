/** Feeds of open bounties: valid JSON Feed 1.1 and RSS 2.0, filtered, fresh, cached, harmless, and without the poster's identity. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cancelBounty, claimBounty, postBounty } from '../harness/bounties.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { openProvider } from '../harness/orders.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';
import { type Element, parseXml } from './parse-xml.ts';

const HOSTILE = {
  title: '</title><script>alert(1)</script> ]]> & "R&D" &lt;b&gt;',
  brief: 'Line one <img src=x onerror=alert(1)>\nline two ]]> & 100% done\u{1f642} &lt;i&gt;',
};

describe('feeds of open bounties', () => {
  let market: TestMarket;
  let poster: TestWallet;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    poster = baseWallet();
    await postBounty(market.url, poster, { category: 'coding', title: 'Mend a parser' });
    await postBounty(market.url, poster, { ...HOSTILE, category: 'seo' });
    const gone = await postBounty(market.url, poster, { title: 'Called off' });
    await cancelBounty(market.url, gone.id, poster);
  });
  after(() => market.close());

  const get = async (path: string, headers: Record<string, string> = {}) => await fetch(market.url + path, { headers });
  const readJson = async (query = '') => JSON.parse(await (await get(`/feeds/bounties.json${query}`)).text());
  const readRss = async (query = '') => parseXml(await (await get(`/feeds/bounties.xml${query}`)).text());
  const textOf = (element: Element | undefined, name: string) => element?.children.find((child) => child.name === name)?.text;
  const itemsOf = (rss: Element) => rss.children[0]?.children.filter(({ name }) => name === 'item') ?? [];

  test('the JSON feed of bounties has every required field of version 1.1, and absolute addresses', async () => {
    const response = await get('/feeds/bounties.json');
    assert.equal(response.headers.get('content-type'), 'application/feed+json; charset=utf-8');
    const feed = JSON.parse(await response.text());
    assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
    for (const field of ['title', 'home_page_url', 'feed_url', 'description', 'language'])
      assert.equal(typeof feed[field], 'string', field);
    assert.equal(feed.feed_url, `${market.url}/feeds/bounties.json`);
    assert.equal(feed.items.length, 2);
    const ids = new Set();
    for (const item of feed.items) {
      ids.add(item.id);
      assert.equal(typeof item.id, 'string');
      assert.equal(new URL(item.url).pathname, `/bounties/${item._bounty.bounty_id}`);
      assert.ok(item.content_text.length > 0 && item.title.length > 0);
      assert.equal(new Date(item.date_published).toISOString(), item.date_published);
      assert.deepEqual(item.tags, [item._bounty.category]);
      // Extensions begin with an underscore; an item has no other extra fields.
      const known = ['id', 'url', 'title', 'content_text', 'date_published', 'tags', '_bounty'];
      assert.deepEqual(Object.keys(item).toSorted(), known.toSorted());
    }
    assert.equal(ids.size, feed.items.length);
    assert.deepEqual(
      feed.items.map(({ title }: { title: string }) => title),
      [HOSTILE.title, 'Mend a parser'],
      'newest first, and only open ones',
    );
    assert.equal(feed.items[1]._bounty.budget_usd, '10.00');
  });

  test('the RSS feed of bounties is well-formed XML with the required elements of version 2.0', async () => {
    const response = await get('/feeds/bounties.xml');
    assert.equal(response.headers.get('content-type'), 'application/rss+xml; charset=utf-8');
    const rss = parseXml(await response.text());
    assert.deepEqual([rss.name, rss.attributes['version'], rss.children.length], ['rss', '2.0', 1]);
    const [channel] = rss.children;
    for (const name of ['title', 'link', 'description']) assert.ok((textOf(channel, name) ?? '').length > 0, name);
    const self = channel?.children.find(({ name }) => name === 'atom:link');
    assert.deepEqual([self?.attributes['rel'], self?.attributes['href']], ['self', `${market.url}/feeds/bounties.xml`]);
    const items = itemsOf(rss);
    assert.equal(items.length, 2);
    const feed = await readJson();
    for (const [index, item] of items.entries()) {
      const twin = feed.items[index];
      assert.deepEqual([textOf(item, 'link'), textOf(item, 'guid')], [twin.url, twin.id]);
      assert.equal(item.children.find(({ name }) => name === 'guid')?.attributes['isPermaLink'], 'true');
      assert.match(textOf(item, 'pubDate') ?? '', /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
      assert.equal(new Date(textOf(item, 'pubDate') ?? '').getTime(), Math.floor(Date.parse(twin.date_published) / 1000) * 1000);
      assert.equal(textOf(item, 'category'), twin.tags[0]);
    }
  });

  test('I10: a hostile title or brief of a bounty stays text in XML and in readers that show HTML', async () => {
    const raw = await (await get('/feeds/bounties.xml')).text();
    assert.ok(!/<script|<img/i.test(raw));
    assert.ok(!/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(raw));
    const [item] = itemsOf(parseXml(raw));
    const title = textOf(item, 'title') ?? '';
    assert.equal(title, '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt; & "R&D" &lt;b&gt;');
    const description = textOf(item, 'description') ?? '';
    assert.ok(!/<(?!\/?p>|br>)/.test(description), description);
    assert.match(description, /Line one &lt;img src=x onerror=alert\(1\)&gt;<br>line two \]\]&gt; &amp; 100% done🙂 &amp;lt;i&amp;gt;/u);
    assert.equal((await readJson()).items[0].content_text, HOSTILE.brief);
  });

  test('a category filters both feeds of bounties; an unknown one is refused in the envelope', async () => {
    for (const [category, titles] of [
      ['coding', ['Mend a parser']],
      ['trading', []],
    ] as const) {
      const feed = await readJson(`?category=${category}`);
      assert.deepEqual(
        feed.items.map(({ title }: { title: string }) => title),
        titles,
      );
      assert.equal(feed.feed_url, `${market.url}/feeds/bounties.json?category=${category}`);
      assert.equal(itemsOf(await readRss(`?category=${category}`)).length, titles.length);
    }
    for (const path of ['/feeds/bounties.json', '/feeds/bounties.xml'] as const) {
      const { status, body } = await call(market.url, `GET ${path}?category=cooking`);
      assert.deepEqual([status, body['code']], [400, 'invalid_input']);
      assert.equal((await call(market.url, `POST ${path}`)).status, 405);
    }
  });

  for (const path of ['/feeds/bounties.json', '/feeds/bounties.xml']) {
    test(`${path} is cached with an ETag, answered with 304, and renewed after the next change`, async () => {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      assert.equal(first.headers.get('cache-control'), 'public, max-age=60');
      const again = await get(path, { 'if-none-match': etag });
      assert.deepEqual([again.status, await again.text()], [304, '']);
      const compressed = await get(path, { 'accept-encoding': 'br' });
      assert.equal(await compressed.text(), await first.text());
      // A claim changes the bounty, but nothing that a feed shows.
      const { id } = await postBounty(market.url, poster, { title: 'A moment on the board' });
      const shown = await get(path, { 'if-none-match': etag });
      assert.equal(shown.status, 200);
      const tag = shown.headers.get('etag') ?? '';
      assert.match(await shown.text(), /A moment on the board/);
      await claimBounty(market.url, id, await openProvider(market.url));
      assert.equal((await get(path, { 'if-none-match': tag })).status, 304);
      await cancelBounty(market.url, id, poster);
      assert.doesNotMatch(await (await get(path)).text(), /A moment on the board/);
      assert.equal((await fetch(market.url + path, { method: 'HEAD' })).status, 200);
    });
  }

  test('A03: neither feed of bounties names a wallet, account, order, claim or person', async () => {
    const { rows } = await market.database.pool.query('select order_id from bounties');
    for (const path of ['/feeds/bounties.json', '/feeds/bounties.xml']) {
      const text = await (await get(path)).text();
      const short = `${poster.address.slice(0, 4)}...${poster.address.slice(-4)}`;
      for (const secret of [poster.address, short, ...rows.map(({ order_id: id }) => id)]) assert.ok(!text.includes(secret), secret);
      assert.doesNotMatch(text, /ord_|clm_|wallet|user_id|poster/);
    }
  });

  test('a feed of bounties holds at most 50', async () => {
    for (let n = 0; n < 51; n++) await postBounty(market.url, poster, { category: 'custom', title: `Small task ${n}` });
    assert.equal((await readJson('?category=custom')).items.length, 50);
    assert.equal(itemsOf(await readRss()).length, 50);
  });
});
