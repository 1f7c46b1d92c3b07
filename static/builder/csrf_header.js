// Every request that htmx makes carries the token that Django asks of forms.
import { csrfToken } from "../csrf_token.js";

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRFToken"] = csrfToken();
});
