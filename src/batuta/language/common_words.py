"""Ordinary words of both languages, folded: what is written as one of them is no mistyped name or term.

Without them "el pasado" (the last one) would be mended to "pagado" (paid), one letter away. Only content words; words that
say nothing about a subject stand in `vocabulary`, and so do the verbs of change: "borra" (delete) is no "barra" (bar).
"""

from batuta.language.nationalities import ADJECTIVES
from batuta.language.vocabulary import CHANGE_VERBS

_ENGLISH = (
    "able older takes taxes lease leasing leaving memo memos shade shades above across after again against ahead alone along always among amount answer around asked away back bank basis "
    "before began begin behind below best better between beyond bigger block board books both bought break bring broken "
    "brought build built business buying called came cards carry case cases cause center central chance change changes "
    "charge charged chart check clear close closed code coming common company complete could count couple course cover "
    "created cross daily dates dealt deliver detail does down draft draw drawn drop during early easy eight else empty end "
    "ended enough enter entire ever exact extra facts fall fast few field fifth fifty files final find first five fixed "
    "follow force form former forty found four fourth free friend from full further future gave given gives giving going "
    "gone good goods great group grow half hand hands happen hard have having head help here high higher hold home hour "
    "hours house idea important inside into issue joined keep kept kind kinds known knows large larger last late later "
    "learn least leave left less letter level light likely limit line lines little live local long longer look loss lost "
    "lower main make makes many mark market matter mean means meet might mind minute missing money month more most move "
    "much must name named names near need needs never next nine north note nothing number object offer office often open "
    "opened order other others outside over owner page paid paper part parts party passed past people per perhaps period "
    "person piece place placed plan plans plant plants play plus point post power price prices print prior private problem "
    "public quick quite raise range rate rather reach read ready real reason record red remain rent rest result return "
    "right rise room round rule run running safe said same saved second seem seen sell send sense sent service seven "
    "several shall share ship short should show shown side sign since single six size slow small sold some soon sort south "
    "space speak special spend spent staff stand start state stay step still stop store street strong such sure table take "
    "taken team tell ten term terms test than that their them then there these they thing things think third those though "
    "three through time times today together tonight took total toward town track trade travel trend true trying turn twelve "
    "twenty twice under unit units until upon used user using usual value very view visit wait want week weeks well went "
    "were west what when where which while white whole whose wide will with within without word words work works world "
    "would write wrong year years yellow yesterday young yours"
)
_SPANISH = (
    "tarda tardan tardar tardo comparativa comparativas credito cuesta entrega medida netas neto netos notas nota previo previos previsto previstos pagado pagada quinta salvo semanal vendida vendidas vendido vendidos vendieron "
    "abajo abierto abrir acaba acabar acerca acuerdo ademas ahora algo alguien algun alguna algunos alla alli alta alto ambos "
    "amigo ancho andar ano anos anterior anteriores antes anual aparte apenas aqui arriba asi aun aunque ayer ayuda bajo banco "
    "barra barras base bastante bien bueno buena buenos buscar cabe cabeza cada caer caja calle cama cambio camino campo carta "
    "casa casi caso casos causa central centro cerca cero ciento cierta cierto cinco cincuenta cita ciudad clara claro clase "
    "codigo color comer como compara comparado comparar compra compramos compran compras completo con conocer conseguir contar contra corta corto cosa cosas costa crear cual "
    "cualquier cuando cuarto cuatro cubrir cuenta cuentas cuerpo cuidado curso dato datos debajo decir dejar delante demas "
    "dentro derecha desde despacio despues detalle detras dia diario dias dice diez dinero dio distinto doble doce donde "
    "durante edad ejemplo ella ellas ellos empezar encima encontrar enero enfrente ensenar entero entonces entrar entre enviar "
    "era escribir ese eso espera esperar esta estado estar este esto estos facil falta familia favor fecha final finales firma "
    "forma fondo fuera fuerte fuerza futuro ganar gente gracias gran grande grandes grupo grupos gusto haber hablar hace hacer "
    "hacia hasta hecho hoja hora horas hoy idea igual importa importe incluir inicio ir izquierda jamas joven jueves julio "
    "junio junto juntos lado larga largo leer lejos letra libre libro linea lineas lista listo llegar llevar local luego lugar "
    "lunes luz mal malo manana mandar manera mano mantener mas mayo mayor mayores media medio mejor mejores menor menos mes "
    "meses mesa mesas mil minuto miercoles mirar misma mismo mitad modo momento mover mucha mucho muchos mundo muy nada nadie "
    "necesario negro ninguna ninguno noche nombre normal norte nosotros nota nueva nueve nuevo nuevos numero nunca obra ocho "
    "oficina olvidar once orden otra otras otro otros pagina pais paises papel para parar parece parte partes partida pasa "
    "pasada pasadas pasado pasados pasar paso pedir peor pequeno perder perdido perdida pesa hacen salio salido persona personas peso pieza piezas pista pista plan "
    "plano planta plantas plaza pobre poca poco pocos poder poner porque posible precio precios pregunta primer primera "
    "primero primeros problema pronto propio proximo pueblo puede puerta puesto punto puntos queda quedar querer quien quince "
    "quitar quiza quizas rapido raro razon real recibir regla resto resumen rojo saber sabado sacar saldo saldos salir segun segunda "
    "segundo seguro seis semana semanas sencillo senor sentido ser serie seria siempre siete siglo siguiente simple sitio "
    "sobre sol solo sola son subir suelo suma supuesto sur tabla tal talla tambien tampoco tanta tanto tarde tarjeta tercer "
    "tercera tercero terminar tiempo tienda tierra tipo tipos toda todas todavia todo todos tomar total trabajo traer treinta "
    "tres ultima ultimas ultimo ultimos unico unidad unidades unos usar util vale valor varios veces veinte vender venir "
    "compre compro vendo vendi facturo facture gane gasto gaste "
    "vende vendemos venden vendido vendidos vendio vendimos ver verano verdad verde vez viaje vida viejo viene viernes vista visto vivir volver vuelta zona"
)

_VERBS = " ".join(verb for verbs in CHANGE_VERBS.values() for verb in verbs)
COMMON_WORDS = frozenset(f"{_ENGLISH} {_SPANISH} {_VERBS}".split()) | ADJECTIVES
