"""Charts over datasets: a request becomes figures that code computed and a Vega-Lite specification that names them."""
