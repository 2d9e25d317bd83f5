// @odata/client against the sandbox: create, find, query, read by key, update with If-Match, batch, count, delete.

import odata from "@odata/client";
import { report, task } from "./task.mjs";

// The client sends no If-Match of its own, neither to the sandbox nor to Business Central.
const serviceEndpoint = `${task.root}/companies(${task.company})/`;
const client = odata.OData.New4({ serviceEndpoint, commonHeaders: { "If-Match": "*" } });
const customers = client.getEntitySet("customers");
const key = (id) => odata.EdmV4.Guid.from(id);

const created = await customers.create({ displayName: "Peña e Hijos", number: "N1" });
const found = await customers.find({ number: "N1" });
const filter = client.newFilter().field("displayName").eq("Peña e Hijos").field("number").ne("N9");
const queried = await customers.query(client.newParam().filter(filter).select(["number", "displayName"]).top(5));
const read = await customers.retrieve(key(created.id));
await customers.update(key(created.id), { city: "Gijón" });
const changed = await customers.retrieve(key(created.id));
const batch = await client.execBatchRequests([
  client.newBatchRequest({ collection: "customers", entity: { displayName: "Batched" }, method: "POST" }),
  client.newBatchRequest({ collection: "customers", method: "GET" }),
]);
const bodies = await Promise.all(batch.map(async (each) => [each.status, await each.json()]));
const counted = await customers.count();
await customers.delete(key(created.id));
const left = await customers.count();
report({
  created: created.displayName,
  found: found.map((each) => each.number),
  queried: queried.map((each) => each.displayName),
  read: read.number,
  changed: changed.city,
  batch: bodies.map(([status, body]) => [status, body.displayName ?? body.value.length]),
  counted,
  left,
});
