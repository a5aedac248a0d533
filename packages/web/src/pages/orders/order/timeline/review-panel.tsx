import { useState } from 'react';
import { Button, CheckField, Hash, Panel, RadioRows, TextArea, Time } from '../../../../ui/index.ts';
import { networkWords } from '../../../../words.ts';
import { ActError } from '../next-step/act-error.tsx';
import { useOrderAct } from '../next-step/use-order-act.ts';
import { isAllowed, type OrderView } from '../order-view.ts';
import { PublishReview } from '../publish/publish-review.tsx';

/** After completion: the buyer's public review, and the consent to show the result. */
export function ReviewPanel({ view }: { readonly view: OrderView }) {
  const { order, review, viewer_role } = view;
  if (order.status !== 'completed') return null;
  const mayWrite = isAllowed(view, 'review');
  if (review === null && !mayWrite && viewer_role !== 'buyer') return null;
  return (
    <div id="review">
      <Panel title={review === null && mayWrite ? 'How was it' : 'Review'}>
        <div className="stack">
          {review === null ? null : <WrittenReview review={review} />}
          {view.can_publish_review && review?.onchain === null ? <PublishReview orderId={order.id} /> : null}
          {review === null && mayWrite ? <ReviewForm view={view} /> : null}
          {viewer_role === 'buyer' ? <PortfolioConsent view={view} /> : null}
        </div>
      </Panel>
    </div>
  );
}

function WrittenReview({ review }: { readonly review: NonNullable<OrderView['review']> }) {
  return (
    <figure className="order-review">
      <p>
        <b className="mono">{review.rating} of 5</b>{' '}
        <span className="meta">
          {review.reviewer_name}, <Time at={review.created_at} style="day" />
        </span>
      </p>
      {review.comment === null || review.comment === '' ? null : <blockquote className="typed">{review.comment}</blockquote>}
      {review.onchain === null ? null : (
        <p className="meta">
          Published on {networkWords[review.onchain.network]} <Time at={review.onchain.published_at} style="day" />{' '}
          <Hash value={review.onchain.tx_hash} href={review.onchain.explorer_url} what="publication of this review" />
        </p>
      )}
    </figure>
  );
}

const ratings = ['5', '4', '3', '2', '1'];
const ratingWords: Readonly<Record<string, string>> = {
  5: '5, as agreed or better',
  4: '4, good',
  3: '3, usable',
  2: '2, poor',
  1: '1, not usable',
};

function ReviewForm({ view }: { readonly view: OrderView }) {
  const step = useOrderAct();
  const [rating, setRating] = useState<string>();
  const [comment, setComment] = useState('');
  const { order } = view;
  const send = () =>
    step.take(
      'reviews.create',
      { id: order.id, rating: Number(rating), ...(comment.trim() !== '' && { comment: comment.trim() }) },
      'Review published.',
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (rating !== undefined && !step.busy) void send();
      }}
    >
      <RadioRows
        legend={`${order.provider_name}, ${order.service_title}`}
        value={rating}
        onChange={setRating}
        rows={ratings.map((value) => ({ value, label: ratingWords[value] ?? value }))}
      />
      <TextArea
        label="In your words"
        hint="Public, with your name and this order as proof."
        value={comment}
        onChange={setComment}
        maxLength={500}
        rows={3}
        optional
      />
      <ActError error={step.error} />
      <div className="actions">
        <Button
          kind="ink"
          type="submit"
          busy={step.busy ? 'Publishing' : undefined}
          disabledReason={rating === undefined ? 'Choose 1 to 5 first.' : undefined}
        >
          Publish the review
        </Button>
      </div>
    </form>
  );
}

function PortfolioConsent({ view }: { readonly view: OrderView }) {
  const step = useOrderAct();
  const { order } = view;
  return (
    <>
      <CheckField
        label={`${order.provider_name} may show the result in its portfolio`}
        checked={order.allow_portfolio === 1}
        onChange={(allow) =>
          void step.take(
            'orders.setPortfolioConsent',
            { id: order.id, allow },
            allow ? 'The result may be shown.' : 'The result stays between you.',
          )
        }
      />
      <ActError error={step.error} />
    </>
  );
}
