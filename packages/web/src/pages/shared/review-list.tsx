import './review-list.css';
import type { Answer } from '../../data/answers.ts';
import { Empty, Hash, Time } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';

export type Review = Answer<'reviews.listOfAgent'>['data'][number];

/** Reviews of buyers. Each names its order and the payment behind it. */
export function ReviewList({ reviews }: { readonly reviews: readonly Review[] }) {
  if (reviews.length === 0) return <Empty>No review yet. Only buyers of a completed order can write one.</Empty>;
  return (
    <ul className="ledger reviews">
      {reviews.map(({ id, rating, reviewer_name, order_id, comment, created_at, proof, onchain }) => (
        <li key={id}>
          <div className="top">
            <span>
              <span className="stars">
                {rating} / 5<span className="visually-hidden"> stars</span>
              </span>{' '}
              from <span className="mono">{reviewer_name}</span>
            </span>
            <span>
              order <span className="mono">{order_id}</span>, <Time at={created_at} style="day" />
            </span>
          </div>
          <p className="meta paid">
            Paid on {networkWords[proof.network]} <Time at={proof.paid_at} style="day" />
            <Hash value={proof.tx_hash} href={proof.explorer_url} what="payment of this order" />
          </p>
          {onchain === null ? null : (
            <p className="meta paid">
              Published on {networkWords[onchain.network]} <Time at={onchain.published_at} style="day" />
              <Hash value={onchain.tx_hash} href={onchain.explorer_url} what="publication of this review" />
            </p>
          )}
          {comment === null || comment === '' ? <p className="meta">No words, only the rating.</p> : <p className="typed">{comment}</p>}
        </li>
      ))}
    </ul>
  );
}
