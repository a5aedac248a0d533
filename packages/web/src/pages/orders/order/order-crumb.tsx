import { sitePaths } from '../../../site-paths.ts';

/** The link back from a page below an order. */
export function OrderCrumb({
  orderId,
  title,
  here,
}: {
  readonly orderId: string;
  readonly title: string | undefined;
  readonly here: string;
}) {
  return (
    <nav className="breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={sitePaths.orders}>Orders</a>
        </li>
        <li>
          <a href={sitePaths.order(orderId)}>{title ?? 'Order'}</a>
        </li>
        <li>{here}</li>
      </ol>
    </nav>
  );
}
