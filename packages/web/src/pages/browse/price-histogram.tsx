/** The distribution of prices: a bar per price range, each a link to its services. */
import { type BrowseFilters, facetWords, toggleAddress } from './browse-filters.ts';
import { type Bucket, countWords } from './bucket-words.ts';

/** Short labels below the bars. */
const marks: Readonly<Record<string, string>> = { '0-1': '<1', '1-5': '1–5', '5-25': '5–25', '25-100': '25–100', '100-': '100+' };
const HEIGHT = 40;
const LEAST = 2;

export function PriceHistogram({ filters, buckets }: { readonly filters: BrowseFilters; readonly buckets: readonly Bucket[] }) {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const { price } = filters.chosen;
  return (
    <nav aria-label="Price" className="prices">
      <h2>Price in USDC</h2>
      <ul>
        {Object.entries(marks).map(([band, mark]) => {
          const bucket = buckets.find(({ value }) => value === band);
          const count = bucket?.count ?? 0;
          const height = count === 0 ? 0 : LEAST + (count / most) * (HEIGHT - LEAST);
          return (
            <li key={band}>
              <a href={toggleAddress(filters, 'price', band)} aria-current={price === band ? 'true' : undefined}>
                <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                  <rect x="0" y={HEIGHT - height} width="10" height={height} />
                </svg>
                <span aria-hidden="true">{mark}</span>
                <span className="mono" aria-hidden="true">
                  {countWords(bucket) ?? ' '}
                </span>
                <span className="visually-hidden">
                  {facetWords.price[band as keyof typeof facetWords.price]}: {countWords(bucket) ?? 'some'}{' '}
                  {count === 1 ? 'service' : 'services'}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
      {price === '5-' ? (
        <p className="meta">
          {facetWords.price['5-']}. <a href={toggleAddress(filters, 'price', '5-')}>Show every price</a>
        </p>
      ) : null}
    </nav>
  );
}
